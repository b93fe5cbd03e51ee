-- finish_remove: remove items that have ended in this transaction and are not kept.
-- In:  rows [{ItemId, ItemFence}]
DELETE FROM "BotWorkQueueItems"
USING json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint)
WHERE "Id" = j."ItemId" AND "Fence" = j."ItemFence" AND "State" IN (2, 3);
