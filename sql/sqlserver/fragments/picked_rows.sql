-- picked_rows: a batch of items as they were found before the change, as j.
-- In:  rows [{ItemId, ItemFence, OldState}]
OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', OldState INT '$.OldState') j
