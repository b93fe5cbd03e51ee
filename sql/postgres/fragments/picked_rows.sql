-- picked_rows: a batch of items as they were found before the change, as j.
-- In:  rows [{ItemId, ItemFence, OldState}]
json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "OldState" int)
