-- +goose Up

-- Items that run together. BatchKey is set when the item is enqueued, with the rules of its
-- pipeline at that time: the most items of a run, how long the batch waits for another item, and
-- how long its first item waits in all, in milliseconds. NULL: the item runs alone.
-- BatchLeaderId is the item that started the latest run, also in the leader itself; NULL: the item
-- ran alone, or the run has not begun.
ALTER TABLE BotWorkQueueItems ADD COLUMN BatchKey TEXT NULL;
ALTER TABLE BotWorkQueueItems ADD COLUMN BatchMax INTEGER NULL;
ALTER TABLE BotWorkQueueItems ADD COLUMN BatchWaitMs INTEGER NULL;
ALTER TABLE BotWorkQueueItems ADD COLUMN BatchAtMostMs INTEGER NULL;
ALTER TABLE BotWorkQueueItems ADD COLUMN BatchLeaderId INTEGER NULL;
CREATE INDEX IX_BotWorkQueueItems_Batch ON BotWorkQueueItems (QueueName, BatchKey, Id) WHERE BatchKey IS NOT NULL AND State IN (0, 1, 4, 5);

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_Batch;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchLeaderId;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchAtMostMs;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchWaitMs;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchMax;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchKey;
