-- clean_remove: remove items that have not changed since they were picked, with their attempts. It
-- never removes a running item.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden}]
DELETE FROM BotWorkQueueItems
WHERE State <> 1 AND Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
  AND (Id, Fence, State, DeletedAt IS NOT NULL) IN (
    SELECT json_extract(value, '$.ItemId'), json_extract(value, '$.ItemFence'), json_extract(value, '$.OldState'), json_extract(value, '$.Hidden')
    FROM jsonb_each(@rows));
