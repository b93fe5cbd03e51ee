-- due_deadline: items of a band that wait and are due, the most urgent first; those
-- with a deadline. Each of due, due_deadline and due_expedited follows its own index.
-- Robots take the items of their queues themselves.
-- In:  min_priority, max_priority, limit_rows, queues [name] and keys [{Queue, Key}] that
--      have no place left, now (NULL: the database clock)
-- Out: id, priority, deadline, estimate in ms, the beginning of the pipeline, queue, 1 if
--      it has limits, the key that they count by, since when it is due, labels,
--      selectors, whether it may go before others, task and natural key where there is
--      no estimate.
SELECT i.Id, i.Priority, CAST(i.DeadlineAt AS TEXT), i.EstimatedDurationMs, substr(i.IntegrationConfig, 1, 200), i.QueueName,
    CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
        WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END,
    i.LimitKey, CAST(i.AvailableAt AS TEXT), i.Labels, i.Selectors, i.Expedite,
    CASE WHEN i.EstimatedDurationMs IS NULL THEN i.TaskName END, CASE WHEN i.EstimatedDurationMs IS NULL THEN i.NaturalKey END
FROM BotWorkQueueItems i
WHERE i.State IN (0, 4) AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
  AND i.Priority BETWEEN @min_priority AND @max_priority
  AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
  AND i.DeletedAt IS NULL
  AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
  AND (@queues = '[]' OR i.QueueName NOT IN (SELECT value FROM jsonb_each(@queues)))
  AND (@keys = '[]' OR i.LimitKey IS NULL OR (i.QueueName, i.LimitKey) NOT IN (
      SELECT json_extract(value, '$.Queue'), json_extract(value, '$.Key') FROM jsonb_each(@keys)))
ORDER BY i.Priority DESC, i.DeadlineAt, i.Id
LIMIT CAST(@limit_rows AS INTEGER);
