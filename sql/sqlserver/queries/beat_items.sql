-- beat_items: renew the leases of all that a worker holds.
-- In:  worker, lease_ms, rows [{ItemId, ItemFence}], now (NULL: the database clock)
-- Out: ids and fences of what was renewed; the others are lost.
UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = DATEADD(millisecond, (@lease_ms % 1000), DATEADD(second, (@lease_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
OUTPUT inserted.Id, inserted.Fence
WHERE State = 1 AND WorkerId = @worker
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence);
