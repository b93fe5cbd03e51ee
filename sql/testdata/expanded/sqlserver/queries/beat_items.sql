UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = DATEADD(millisecond, (@lease_ms % 1000), DATEADD(second, (@lease_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))),
    BegunFence = CASE WHEN EXISTS (SELECT 1 FROM OPENJSON(@begun) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') b
        WHERE b.ItemId = BotWorkQueueItems.Id AND b.ItemFence = BotWorkQueueItems.Fence) THEN Fence ELSE BegunFence END
OUTPUT inserted.Id, inserted.Fence
WHERE State = 1 AND WorkerId = @worker
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence);
