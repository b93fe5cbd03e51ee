-- revived_rows: a batch of items to run again, as they were found before the change, as j. Hidden
-- is 1 for a deleted item. If TakesKey is 1, the unique key of the item becomes NewKey.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden, TakesKey, NewKey}]
json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "OldState" int, "Hidden" int, "TakesKey" int, "NewKey" text)
