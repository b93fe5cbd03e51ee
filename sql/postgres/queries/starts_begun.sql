-- starts_begun: fix the time of what has started. Of an item that was removed
-- meanwhile, or begun anew, nothing is known but that it is not later than now.
-- In:  now (NULL: the database clock)
UPDATE "BotQueueStarts" SET
    "StartedAt" = COALESCE((SELECT i."StartedAt" FROM "BotWorkQueueItems" i WHERE i."Id" = "BotQueueStarts"."ItemId"),
        CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
WHERE "StartedAt" IS NULL AND NOT EXISTS (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."Id" = "BotQueueStarts"."ItemId" AND i."Fence" = "BotQueueStarts"."Fence");
