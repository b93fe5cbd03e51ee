-- +goose Up

-- The process that registered: its instance id, and where and when it started. Another
-- process concludes from it that this one has ended. NULL: nothing can be concluded, and
-- the name is free when the lease ends.
ALTER TABLE "BotWorkers" ADD COLUMN "ProcessKey" varchar(200);

-- +goose Down
ALTER TABLE "BotWorkers" DROP COLUMN "ProcessKey";
