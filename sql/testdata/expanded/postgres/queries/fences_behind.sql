SELECT COUNT(*)
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint)
JOIN "BotWorkQueueItems" i ON i."Id" = j."ItemId"
WHERE i."Fence" < j."ItemFence";
