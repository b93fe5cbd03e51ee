-- +goose Up

-- Counts the changes of an item, so that a change can be refused if another one came first.
-- Renewed leases, progress and what a clock alone decides (a delay that ends, a key that
-- expires) do not count.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "Version" BIGINT NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "Version";
