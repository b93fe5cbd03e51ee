DELETE FROM "BotWorkItemSteps"
WHERE ("ItemId", "Step") IN (
    SELECT s."ItemId", s."Step"
    FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "FirstNumber" integer)
    JOIN "BotWorkQueueItems" i ON i."Id" = j."ItemId"
    JOIN "BotWorkItemSteps" s ON s."ItemId" = i."Id"
    WHERE i."Fence" = j."ItemFence" AND i."State" IN (2, 3) AND s."Number" >= j."FirstNumber");
