-- starts_begun: record the time of items that have started. For an item that was removed or
-- restarted meanwhile, it is only known that the time is not later than now.
-- A claim whose start is not recorded yet stays open: its start may still change.
-- In:  now (NULL: the database clock)
-- The next fence is one higher, or the first of an epoch: see migration 0020.
UPDATE "BotQueueStarts" SET
    "StartedAt" = COALESCE((SELECT i."StartedAt" FROM "BotWorkQueueItems" i WHERE i."Id" = "BotQueueStarts"."ItemId"),
        {{now}})
WHERE "StartedAt" IS NULL AND NOT EXISTS (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."Id" = "BotQueueStarts"."ItemId" AND (
        i."Fence" = "BotQueueStarts"."Fence"
        OR (i."Fence" = "BotQueueStarts"."Fence" + 1 OR i."Fence" > "BotQueueStarts"."Fence" AND i."Fence" % 1000000000 = 1) AND i."State" = 1 AND (i."BegunFence" IS NULL OR i."BegunFence" <> i."Fence")));
