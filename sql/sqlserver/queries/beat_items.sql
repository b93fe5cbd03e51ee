-- beat_items: renew the leases of all items that a worker holds, and record which runs have
-- started.
-- In:  worker, lease_ms, rows [{ItemId, ItemFence}], begun [{ItemId, ItemFence}] (some of rows), now (NULL: the database clock)
-- Out: ids and fences of the renewed items; the others are lost.
UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = {{now_plus ms=@lease_ms}},
    BegunFence = CASE WHEN EXISTS (SELECT 1 FROM OPENJSON(@begun) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') b
        WHERE b.ItemId = BotWorkQueueItems.Id AND b.ItemFence = BotWorkQueueItems.Fence) THEN Fence ELSE BegunFence END
OUTPUT inserted.Id, inserted.Fence
WHERE State = 1 AND WorkerId = @worker
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence);
