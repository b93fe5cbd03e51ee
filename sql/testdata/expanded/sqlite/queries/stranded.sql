SELECT MIN(s.Priority), MAX(s.Priority)
FROM (
    SELECT i.Priority
    FROM BotWorkQueueItems i
    WHERE i.State = 1 AND (i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
    UNION ALL
    SELECT i.Priority
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId = @worker
      AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
    UNION ALL
    SELECT i.Priority
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId IN (
        SELECT w.Id
        FROM BotWorkers w
        WHERE w.State <> 'active' OR w.Gate IS NOT NULL OR w.LeaseExpiresAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
) s;
