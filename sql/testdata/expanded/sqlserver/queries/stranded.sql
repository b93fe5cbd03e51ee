SELECT MIN(s.Priority), MAX(s.Priority)
FROM (
    SELECT i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 1 AND (i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
    UNION ALL
    SELECT i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND i.WorkerId = @worker
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
    UNION ALL
    SELECT i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND i.WorkerId IN (
        SELECT w.Id
        FROM BotWorkers w
        WHERE w.State <> N'active' OR w.Gate IS NOT NULL OR w.LeaseExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
) s;
