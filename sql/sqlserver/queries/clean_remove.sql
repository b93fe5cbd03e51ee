-- clean_remove: remove items that have not changed since they were picked, with their attempts. It
-- never removes a running item.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden}]
DELETE FROM BotWorkQueueItems
WHERE State <> 1 AND Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (
    SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', OldState INT '$.OldState', Hidden INT '$.Hidden') j
    WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence AND j.OldState = BotWorkQueueItems.State
      AND j.Hidden = CASE WHEN BotWorkQueueItems.DeletedAt IS NULL THEN 0 ELSE 1 END);
