SELECT CASE
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
    ELSE 0 END;
