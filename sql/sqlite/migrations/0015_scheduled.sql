-- +goose Up

-- Items that are not due when they are written, such as those scheduled for later and
-- those that wait for their next attempt, stand in an index of their own, by time: a pass
-- would else read over them to find what is due. Scheduled tells which index an item is in
-- and no more. Whether it is due, AvailableAt tells: passes set Scheduled back, and what
-- is written by hand may leave it alone.
ALTER TABLE BotWorkQueueItems ADD COLUMN Scheduled BOOLEAN NOT NULL DEFAULT 0;
UPDATE BotWorkQueueItems SET Scheduled = 1 WHERE State IN (0, 4) AND AvailableAt > strftime('%Y-%m-%d %H:%M:%f', 'now');
DROP INDEX IX_BotWorkQueueItems_Waiting;
DROP INDEX IX_BotWorkQueueItems_WaitingDeadline;
DROP INDEX IX_BotWorkQueueItems_WaitingExpedite;
CREATE INDEX IX_BotWorkQueueItems_Waiting ON BotWorkQueueItems (Priority DESC, Id) WHERE State IN (0, 4) AND Scheduled = 0 AND DeadlineAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingDeadline ON BotWorkQueueItems (Priority DESC, DeadlineAt, Id) WHERE State IN (0, 4) AND Scheduled = 0 AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingExpedite ON BotWorkQueueItems (Priority DESC, Id) WHERE State IN (0, 4) AND Scheduled = 0 AND Expedite = 1;
CREATE INDEX IX_BotWorkQueueItems_Scheduled ON BotWorkQueueItems (AvailableAt) WHERE State IN (0, 4) AND Scheduled = 1;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_Scheduled;
DROP INDEX IX_BotWorkQueueItems_WaitingExpedite;
DROP INDEX IX_BotWorkQueueItems_WaitingDeadline;
DROP INDEX IX_BotWorkQueueItems_Waiting;
CREATE INDEX IX_BotWorkQueueItems_Waiting ON BotWorkQueueItems (Priority DESC, Id) WHERE State IN (0, 4) AND DeadlineAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingDeadline ON BotWorkQueueItems (Priority DESC, DeadlineAt, Id) WHERE State IN (0, 4) AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingExpedite ON BotWorkQueueItems (Priority DESC, Id) WHERE State IN (0, 4) AND Expedite = 1;
ALTER TABLE BotWorkQueueItems DROP COLUMN Scheduled;
