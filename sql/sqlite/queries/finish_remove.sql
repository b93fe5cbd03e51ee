-- finish_remove: remove items that have ended in this transaction and are not kept.
-- In:  rows [{ItemId, ItemFence}]
DELETE FROM BotWorkQueueItems
WHERE State IN (2, 3) AND Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
  AND Fence = (SELECT json_extract(value, '$.ItemFence') FROM jsonb_each(@rows) WHERE json_extract(value, '$.ItemId') = BotWorkQueueItems.Id);
