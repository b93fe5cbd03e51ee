-- revived_rows: a batch of items to run again, as they were found before the change, as j. Hidden
-- is 1 for a deleted item. If TakesKey is 1, the unique key of the item becomes NewKey.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden, TakesKey, NewKey}]
(SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
     json_extract(value, '$.OldState') AS OldState, json_extract(value, '$.Hidden') AS Hidden,
     json_extract(value, '$.TakesKey') AS TakesKey, json_extract(value, '$.NewKey') AS NewKey
 FROM jsonb_each(@rows)) j
