UPDATE t SET
    BegunFence = Fence,
    StartedAt = CASE WHEN BegunFence = Fence THEN StartedAt ELSE COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END,
    FirstStartedAt = CASE WHEN BegunFence = Fence OR FirstStartedAt < StartedAt THEN FirstStartedAt ELSE COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END
OUTPUT inserted.Id, inserted.Fence
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 1 AND WorkerId = @worker
  AND t.Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = t.Id AND j.ItemFence = t.Fence)
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)))
  AND (BegunFence = Fence
    OR LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) AND DeletedAt IS NULL
      AND (DeadlineAt IS NULL OR DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (ExpiresAt IS NULL OR ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = t.QueueName AND q.Paused = 1));
