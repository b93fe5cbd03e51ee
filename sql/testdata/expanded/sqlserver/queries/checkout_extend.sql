UPDATE t SET
    LeaseExpiresAt = DATEADD(millisecond, (COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = t.QueueName), 600000) % 1000), DATEADD(second, (COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = t.QueueName), 600000) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
OUTPUT inserted.LeaseExpiresAt
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = CAST(@robot AS NVARCHAR(450)) AND LockKey = CAST(@lock_key AS NVARCHAR(450)) AND LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = t.QueueName
        AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
            WHERE r.QueueName = q.Name AND r.Robot = CAST(@robot AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2 AND r.CanRead = 1)));
