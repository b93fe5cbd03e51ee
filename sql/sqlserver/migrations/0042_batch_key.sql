-- +goose Up

-- Items that run together. BatchKey is set when the item is enqueued, with the rules of its
-- pipeline at that time: the most items of a run, how long the batch waits for another item, and
-- how long its first item waits in all, in milliseconds. NULL: the item runs alone.
-- BatchLeaderId is the item that started the latest run, also in the leader itself; NULL: the item
-- ran alone, or the run has not begun.
-- The collation compares keys exactly, as the other engines do.
ALTER TABLE BotWorkQueueItems ADD BatchKey NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NULL;
ALTER TABLE BotWorkQueueItems ADD BatchMax INT NULL;
ALTER TABLE BotWorkQueueItems ADD BatchWaitMs BIGINT NULL;
ALTER TABLE BotWorkQueueItems ADD BatchAtMostMs BIGINT NULL;
ALTER TABLE BotWorkQueueItems ADD BatchLeaderId BIGINT NULL;
CREATE INDEX IX_BotWorkQueueItems_Batch ON BotWorkQueueItems (QueueName, BatchKey, Id) WHERE BatchKey IS NOT NULL AND State IN (0, 1, 4, 5);

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_Batch ON BotWorkQueueItems;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchLeaderId;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchAtMostMs;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchWaitMs;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchMax;
ALTER TABLE BotWorkQueueItems DROP COLUMN BatchKey;
