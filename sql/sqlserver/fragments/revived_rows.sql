-- revived_rows: a batch of items to run again, as they were found before the change, as j. Hidden
-- is 1 for a deleted item. If TakesKey is 1, the unique key of the item becomes NewKey.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden, TakesKey, NewKey}]
OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', OldState INT '$.OldState', Hidden INT '$.Hidden',
    TakesKey INT '$.TakesKey', NewKey NVARCHAR(64) '$.NewKey') j
