-- finish_remove: remove items that have ended in this transaction and are not kept.
-- In:  rows [{ItemId, ItemFence}]
DELETE FROM BotWorkQueueItems
WHERE State IN (2, 3) AND Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
    WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence);
