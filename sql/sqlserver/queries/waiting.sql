-- waiting: whether an item of a band waits for a worker and is due. The conditions of
-- due but for those that only tell an order; each part follows its own index and ends at the first row.
-- In:  min_priority, max_priority, now (NULL: the database clock)
-- Out: 1 or 0.
SELECT CASE
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 0 AND i.DeadlineAt IS NULL
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= {{now}}
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= {{now}})
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= {{now}}
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= {{now}}
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= {{now}})
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= {{now}})
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= {{now}}
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= {{now}})
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))) THEN 1
    ELSE 0 END;
