-- starts_taken: record items that started without having been assigned: robots take them at once.
-- In:  rows [{ItemId, ItemFence}], now (NULL: the database clock)
INSERT INTO "BotQueueStarts" ("QueueName", "LimitKey", "ItemId", "Fence", "StartedAt")
SELECT q."Name", i."LimitKey", i."Id", i."Fence" - 1, {{now}}
FROM "BotWorkQueueItems" i
JOIN json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint) ON j."ItemId" = i."Id" AND j."ItemFence" = i."Fence"
JOIN "BotQueues" q ON q."Name" = i."QueueName"
WHERE i."State" = 1 AND (q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL);
