UPDATE t SET
    LeaseExpiresAt = DATEADD(millisecond, (@lease_ms % 1000), DATEADD(second, (@lease_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))),
    BegunFence = CASE WHEN EXISTS (SELECT 1 FROM OPENJSON(@begun) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') b
        WHERE b.ItemId = t.Id AND b.ItemFence = t.Fence) THEN Fence ELSE BegunFence END
OUTPUT inserted.Id, inserted.Fence
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 1 AND WorkerId = @worker
  AND t.Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = t.Id AND j.ItemFence = t.Fence);
