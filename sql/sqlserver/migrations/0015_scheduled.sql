-- +goose Up

-- Items that are not due when they are written, such as those scheduled for later and
-- those that wait for their next attempt, stand in an index of their own, by time: a pass
-- would else read over them to find what is due. Scheduled tells which index an item is in
-- and no more. Whether it is due, AvailableAt tells: passes set Scheduled back, and what
-- is written by hand may leave it alone.
ALTER TABLE BotWorkQueueItems ADD Scheduled BIT NOT NULL CONSTRAINT DF_BotWorkQueueItems_Scheduled DEFAULT 0;
UPDATE BotWorkQueueItems SET Scheduled = 1 WHERE State IN (0, 4) AND AvailableAt > CAST(SYSUTCDATETIME() AS DATETIME2(3));
DROP INDEX IX_BotWorkQueueItems_Waiting ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_WaitingDeadline ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_WaitingExpedite ON BotWorkQueueItems;
CREATE INDEX IX_BotWorkQueueItems_Waiting ON BotWorkQueueItems (Priority DESC, Id)
    INCLUDE (AvailableAt, QueueName) WHERE State IN (0, 4) AND Scheduled = 0 AND DeadlineAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingDeadline ON BotWorkQueueItems (Priority DESC, DeadlineAt, Id)
    INCLUDE (AvailableAt, QueueName) WHERE State IN (0, 4) AND Scheduled = 0 AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingExpedite ON BotWorkQueueItems (Priority DESC, Id) WHERE State IN (0, 4) AND Scheduled = 0 AND Expedite = 1;
CREATE INDEX IX_BotWorkQueueItems_Scheduled ON BotWorkQueueItems (AvailableAt) WHERE State IN (0, 4) AND Scheduled = 1;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_Scheduled ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_WaitingExpedite ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_WaitingDeadline ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_Waiting ON BotWorkQueueItems;
CREATE INDEX IX_BotWorkQueueItems_Waiting ON BotWorkQueueItems (Priority DESC, Id)
    INCLUDE (AvailableAt, QueueName) WHERE State IN (0, 4) AND DeadlineAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingDeadline ON BotWorkQueueItems (Priority DESC, DeadlineAt, Id)
    INCLUDE (AvailableAt, QueueName) WHERE State IN (0, 4) AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingExpedite ON BotWorkQueueItems (Priority DESC, Id) WHERE State IN (0, 4) AND Expedite = 1;
ALTER TABLE BotWorkQueueItems DROP CONSTRAINT DF_BotWorkQueueItems_Scheduled;
ALTER TABLE BotWorkQueueItems DROP COLUMN Scheduled;
