-- clean_remove: remove items that have not changed since they were picked, with their attempts. It
-- never removes a running item.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden}]
DELETE FROM "BotWorkQueueItems"
USING json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "OldState" int, "Hidden" int)
WHERE "State" <> 1 AND "Id" = j."ItemId" AND "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND j."Hidden" = CASE WHEN "DeletedAt" IS NULL THEN 0 ELSE 1 END;
