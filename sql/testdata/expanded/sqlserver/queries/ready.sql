SELECT CASE
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.AvailableAt > DATEADD(millisecond, -@recent_ms, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 3
    WHEN EXISTS (SELECT 1 FROM (SELECT l.State, l.Priority, l.QueueName, l.AvailableAt, l.DeletedAt, l.DeadlineAt, l.ExpiresAt, l.CreatedAt FROM BotWorkQueueItems l WHERE l.Id > (SELECT MAX(m.Id) FROM BotWorkQueueItems m) - 100) i
    WHERE i.State IN (0, 4) AND i.CreatedAt > DATEADD(millisecond, -@recent_ms, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 3
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId = @worker
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
      AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.State = N'active')) THEN 2
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 0 AND i.DeadlineAt IS NULL
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId <> @worker AND i.AssignedAt <= DATEADD(millisecond, -@elsewhere_ms, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND i.Priority BETWEEN @min_priority AND @max_priority) THEN 4
    ELSE 0 END,
    (SELECT TOP (1) DATEDIFF(millisecond, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), i.AvailableAt) FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.AvailableAt > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) AND i.AvailableAt < DATEADD(minute, 1, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
    ORDER BY i.AvailableAt);
