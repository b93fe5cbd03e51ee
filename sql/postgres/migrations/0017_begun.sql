-- +goose Up

-- The run of an item's present claim has begun if BegunFence equals Fence: a worker
-- may claim an item some time before it starts it, and only what has begun counts
-- against the worker's death. A claim raises Fence, so nothing has to be reset. NULL:
-- no begin was recorded yet; 0: the last claim ended without a recorded begin, so the
-- next one records it before the run starts. What runs now has begun.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "BegunFence" BIGINT NULL;
UPDATE "BotWorkQueueItems" SET "BegunFence" = "Fence" WHERE "State" = 1;

-- +goose Down
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "BegunFence";
