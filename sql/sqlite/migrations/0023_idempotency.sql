-- +goose Up

-- What other systems know an item's work by: the handlers HTTP, Mail and Exec pass it on,
-- so that a server does it once, however often it is tried. Random, because the ids of two
-- databases are the same numbers. Retries and copies keep it, repeat and clone make a new one; NULL
-- gets one when the item is claimed. The statements that insert items give it: SQLite cannot
-- add a column with such a default. What has run already keeps
-- the key that it had before this migration, which was made of its id.
ALTER TABLE BotWorkQueueItems ADD COLUMN IdempotencyKey TEXT NULL;
UPDATE BotWorkQueueItems SET IdempotencyKey = CAST(Id AS TEXT) WHERE State IN (0, 1, 4, 5) AND FirstStartedAt IS NOT NULL;

-- +goose Down
ALTER TABLE BotWorkQueueItems DROP COLUMN IdempotencyKey;
