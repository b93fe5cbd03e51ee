-- fences_behind: the number of a worker's claims that the database has no record of: the fences of
-- the items are smaller.
-- In:  rows [{ItemId, ItemFence}]
SELECT COUNT(*)
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint)
JOIN "BotWorkQueueItems" i ON i."Id" = j."ItemId"
WHERE i."Fence" < j."ItemFence";
