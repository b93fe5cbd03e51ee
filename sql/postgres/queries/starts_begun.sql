-- starts_begun: fix the time of what has started. Of an item that was removed
-- meanwhile, or begun anew, nothing is known but that it is not later than now.
-- A claim whose begin is not recorded yet stays open: its start may still move.
-- In:  now (NULL: the database clock)
-- The next fence is one more, or the first of an epoch: see migration 0020.
UPDATE "BotQueueStarts" SET
    "StartedAt" = COALESCE((SELECT i."StartedAt" FROM "BotWorkQueueItems" i WHERE i."Id" = "BotQueueStarts"."ItemId"),
        {{now}})
WHERE "StartedAt" IS NULL AND NOT EXISTS (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."Id" = "BotQueueStarts"."ItemId" AND (
        i."Fence" = "BotQueueStarts"."Fence"
        OR (i."Fence" = "BotQueueStarts"."Fence" + 1 OR i."Fence" > "BotQueueStarts"."Fence" AND i."Fence" % 1000000000 = 1) AND i."State" = 1 AND (i."BegunFence" IS NULL OR i."BegunFence" <> i."Fence")));
