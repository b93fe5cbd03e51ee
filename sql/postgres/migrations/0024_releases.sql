-- +goose Up

-- How many workers may die with an item of the queue before it is cancelled as poison;
-- NULL: 5. It was a parameter of the pipelines that assign, and whichever found the item
-- first decided by its own.
ALTER TABLE "BotQueues" ADD COLUMN "MaxReleases" INT NULL CONSTRAINT "CK_BotQueues_MaxReleases" CHECK ("MaxReleases" > 0);

-- +goose Down
ALTER TABLE "BotQueues" DROP COLUMN "MaxReleases";
