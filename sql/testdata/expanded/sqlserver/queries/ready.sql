SELECT CASE
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.BatchKey IS NULL AND i.Scheduled = 1 AND i.AvailableAt > DATEADD(millisecond, -@recent_ms, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 3
    WHEN EXISTS (SELECT 1 FROM (SELECT l.State, l.Priority, l.QueueName, l.AvailableAt, l.DeletedAt, l.DeadlineAt, l.ExpiresAt, l.CreatedAt, l.BatchKey FROM BotWorkQueueItems l WITH (READPAST, READCOMMITTEDLOCK) WHERE l.Id > (SELECT MAX(m.Id) FROM BotWorkQueueItems m WITH (READPAST, READCOMMITTEDLOCK)) - 100) i
    WHERE i.State IN (0, 4) AND i.BatchKey IS NULL AND i.CreatedAt > DATEADD(millisecond, -@recent_ms, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 3
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND i.WorkerId = @worker
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
      AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.State = N'active')) THEN 2
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NULL
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.BatchKey IS NULL AND i.Scheduled = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM (
      SELECT b.Id, b.Priority, b.Place, b.Waiting, b.Given, b.Most, b.Latest, b.First, b.WaitMs, b.AtMostMs
      FROM (
          SELECT m.Id, m.Priority, m.Waits,
              ROW_NUMBER() OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId ORDER BY m.Waits DESC, m.Priority DESC, m.Id) AS Place,
              SUM(m.Waits) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS Waiting,
              SUM(1 - m.Waits) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS Given,
              MIN(m.Most) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS Most,
              MAX(m.WaitsSince) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS Latest,
              MIN(m.WaitsSince) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS First,
              MIN(m.WaitMs) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS WaitMs,
              MIN(m.AtMostMs) OVER (PARTITION BY m.QueueName, m.BatchKey, m.Pipeline, m.LimitText, m.SelectorHash, m.AloneId) AS AtMostMs
          FROM (
              SELECT i.Id, i.Priority, i.QueueName, i.BatchKey, SUBSTRING(i.IntegrationConfig, 1, 200) AS Pipeline,
                  COALESCE(i.LimitKey, N'') COLLATE Latin1_General_100_BIN2 AS LimitText, HASHBYTES(N'SHA2_256', COALESCE(i.Selectors, N'')) AS SelectorHash,
                  CASE WHEN i.ReleaseCount > 0 OR i.PoliciesApplied = 0 AND i.Fence = 0 THEN i.Id END AS AloneId,
                  CASE WHEN i.State IN (0, 4) THEN 1 ELSE 0 END AS Waits,
                  CASE WHEN i.State IN (0, 4) THEN i.AvailableAt END AS WaitsSince,
                  CASE WHEN i.ReleaseCount > 0 OR i.PoliciesApplied = 0 AND i.Fence = 0 OR i.BatchMax IS NULL OR i.BatchMax < 1 THEN 1 ELSE i.BatchMax END AS Most,
                  COALESCE(i.BatchWaitMs, 0) AS WaitMs, COALESCE(i.BatchAtMostMs, 0) AS AtMostMs
              FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
              WHERE i.BatchKey IS NOT NULL AND i.State IN (0, 1, 4, 5)
                AND (i.State = 5 OR i.State = 1 AND i.WorkerId IS NOT NULL AND i.BatchLeaderId IS NULL OR i.State IN (0, 4)
                  AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
                  AND i.DeletedAt IS NULL
                  AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
                  AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
                  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
                )) m) b
      WHERE b.Waits = 1
      ) g
    WHERE g.Priority BETWEEN @min_priority AND @max_priority AND (g.Place <= (g.Waiting - g.Given * (g.Most - 1)) / g.Most
      OR g.Place = 1 AND g.Given = 0 AND (g.Latest <= DATEADD(millisecond, -(g.WaitMs % 1000), DATEADD(second, -(g.WaitMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) OR g.First <= DATEADD(millisecond, -(g.AtMostMs % 1000), DATEADD(second, -(g.AtMostMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND i.WorkerId <> @worker AND i.AssignedAt <= DATEADD(millisecond, -@elsewhere_ms, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND i.Priority BETWEEN @min_priority AND @max_priority) THEN 4
    ELSE 0 END,
    (SELECT TOP (1) DATEDIFF(millisecond, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), i.AvailableAt) FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.AvailableAt > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) AND i.AvailableAt < DATEADD(minute, 1, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
    ORDER BY i.AvailableAt);
