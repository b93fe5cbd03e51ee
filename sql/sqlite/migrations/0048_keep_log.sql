-- +goose Up

-- How many bytes of the end of a run's log stay with an item that has succeeded; 0 keeps none,
-- NULL: 4096, and none in an encrypted queue.
ALTER TABLE BotQueues ADD COLUMN KeepLog INTEGER NULL CONSTRAINT CK_BotQueues_KeepLog CHECK (KeepLog >= 0 AND KeepLog <= 262144);

-- +goose Down
ALTER TABLE BotQueues DROP COLUMN KeepLog;
