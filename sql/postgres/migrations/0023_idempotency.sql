-- +goose Up

-- What other systems know an item's work by: the handlers HTTP, Mail and Exec pass it on,
-- so that a server does it once, however often it is tried. Random, because the ids of two
-- databases are the same numbers. Retries and copies keep it, repeat and clone make a new one; NULL
-- gets one when the item is claimed. The default comes after the column, so that no row
-- is written anew. What has run already keeps
-- the key that it had before this migration, which was made of its id.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "IdempotencyKey" VARCHAR(100) NULL;
ALTER TABLE "BotWorkQueueItems" ALTER COLUMN "IdempotencyKey" SET DEFAULT CAST(gen_random_uuid() AS text);
UPDATE "BotWorkQueueItems" SET "IdempotencyKey" = CAST("Id" AS text) WHERE "State" IN (0, 1, 4, 5) AND "FirstStartedAt" IS NOT NULL;

-- +goose Down
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "IdempotencyKey";
