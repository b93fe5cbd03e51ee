-- due: items of a band that wait and are due, the most urgent first; those
-- without a deadline. Each half follows its own index. Robots take the items of
-- their queues themselves.
-- In:  min_priority, max_priority, limit_rows, now (NULL: the database clock)
-- Out: id, priority, deadline, estimate in ms, the pipeline where there is no estimate,
--      the queue if it has limits, the key that they count by.
SELECT i.Id, i.Priority, i.DeadlineAt, i.EstimatedDurationMs,
    CASE WHEN i.EstimatedDurationMs IS NULL THEN substr(i.IntegrationConfig, 1, 200) END,
    CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
        WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN i.QueueName END,
    i.LimitKey
FROM BotWorkQueueItems i
WHERE i.State IN (0, 4) AND i.DeadlineAt IS NULL
  AND i.Priority BETWEEN @min_priority AND @max_priority
  AND i.AvailableAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
  AND i.DeletedAt IS NULL
  AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
ORDER BY i.Priority DESC, i.Id
LIMIT CAST(@limit_rows AS INTEGER);
