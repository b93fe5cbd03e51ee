-- +goose Up

-- What other systems know an item's work by: the handlers HTTP, Mail and Exec pass it on,
-- so that a server does it once, however often it is tried. Random, because the ids of two
-- databases are the same numbers. Retries and copies keep it, repeat and clone make a new one; NULL
-- gets one when the item is claimed. What has run already keeps
-- the key that it had before this migration, which was made of its id.
ALTER TABLE BotWorkQueueItems ADD IdempotencyKey NVARCHAR(100) NULL CONSTRAINT DF_BotWorkQueueItems_IdempotencyKey DEFAULT (LOWER(CONVERT(NVARCHAR(36), NEWID())));
UPDATE BotWorkQueueItems SET IdempotencyKey = CONVERT(NVARCHAR(36), Id) WHERE State IN (0, 1, 4, 5) AND FirstStartedAt IS NOT NULL;

-- +goose Down
ALTER TABLE BotWorkQueueItems DROP CONSTRAINT DF_BotWorkQueueItems_IdempotencyKey;
ALTER TABLE BotWorkQueueItems DROP COLUMN IdempotencyKey;
