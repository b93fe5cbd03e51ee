-- picked_rows: a batch of items as they were found before the change, as j.
-- In:  rows [{ItemId, ItemFence, OldState}]
(SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
     json_extract(value, '$.OldState') AS OldState
 FROM jsonb_each(@rows)) j
