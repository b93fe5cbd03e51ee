SELECT CASE
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.AvailableAt > (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@recent_ms / 1000.0))) AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))) THEN 3
    WHEN EXISTS (SELECT 1 FROM (SELECT l.State, l.Priority, l.QueueName, l.AvailableAt, l.DeletedAt, l.DeadlineAt, l.ExpiresAt, l.CreatedAt FROM BotWorkQueueItems l WHERE l.Id > (SELECT MAX(m.Id) FROM BotWorkQueueItems m) - 100) i
    WHERE i.State IN (0, 4) AND i.CreatedAt > (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@recent_ms / 1000.0))) AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))) THEN 3
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId = @worker
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
      AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.State = 'active')) THEN 2
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 0 AND i.DeadlineAt IS NULL
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId <> @worker AND i.AssignedAt <= (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@elsewhere_ms / 1000.0)))
      AND i.Priority BETWEEN @min_priority AND @max_priority) THEN 4
    ELSE 0 END,
    (SELECT CAST(ROUND((julianday(i.AvailableAt) - julianday((SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))) * 86400000) AS INTEGER) FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.AvailableAt > (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) AND i.AvailableAt < (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), '+1 minute'))
    ORDER BY i.AvailableAt LIMIT 1);
