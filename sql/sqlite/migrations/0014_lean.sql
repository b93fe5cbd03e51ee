-- +goose Up

-- Each change of an item's state asks the condition of every index that names the
-- state. A list of three or more is looked up in a table of its own, made for each
-- statement; a range is two comparisons. It leaves out the same states.
DROP INDEX IX_BotWorkQueueItems_TaskOpen;
DROP INDEX UX_BotWorkQueueItems_ContentKey;
DROP INDEX IX_BotWorkQueueItems_Deadline;
DROP INDEX IX_BotWorkQueueItems_Expiry;
CREATE INDEX IX_BotWorkQueueItems_TaskOpen ON BotWorkQueueItems (TaskName, TaskScope) WHERE State NOT BETWEEN 2 AND 3 AND TaskName IS NOT NULL;
CREATE UNIQUE INDEX UX_BotWorkQueueItems_ContentKey ON BotWorkQueueItems (ContentKey) WHERE ContentKey IS NOT NULL AND State NOT BETWEEN 2 AND 3;
CREATE INDEX IX_BotWorkQueueItems_Deadline ON BotWorkQueueItems (DeadlineAt) WHERE State NOT BETWEEN 1 AND 3 AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_Expiry ON BotWorkQueueItems (ExpiresAt) WHERE State NOT BETWEEN 1 AND 3 AND ExpiresAt IS NOT NULL;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_Expiry;
DROP INDEX IX_BotWorkQueueItems_Deadline;
DROP INDEX UX_BotWorkQueueItems_ContentKey;
DROP INDEX IX_BotWorkQueueItems_TaskOpen;
CREATE INDEX IX_BotWorkQueueItems_TaskOpen ON BotWorkQueueItems (TaskName, TaskScope) WHERE State IN (0, 1, 4, 5) AND TaskName IS NOT NULL;
CREATE UNIQUE INDEX UX_BotWorkQueueItems_ContentKey ON BotWorkQueueItems (ContentKey) WHERE ContentKey IS NOT NULL AND State IN (0, 1, 4, 5);
CREATE INDEX IX_BotWorkQueueItems_Deadline ON BotWorkQueueItems (DeadlineAt) WHERE State IN (0, 4, 5) AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_Expiry ON BotWorkQueueItems (ExpiresAt) WHERE State IN (0, 4, 5) AND ExpiresAt IS NOT NULL;
