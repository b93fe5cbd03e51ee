-- due: items of a band that wait and are due, the most urgent first; those
-- without a deadline. Each of due, due_deadline and due_expedited follows its own index.
-- Robots take the items of their queues themselves.
-- In:  min_priority, max_priority, limit_rows, queues [name] and keys [{Queue, Key}] that
--      have no place left, now (NULL: the database clock)
-- Out: id, priority, deadline, estimate in ms, the beginning of the pipeline, queue, 1 if
--      it has limits, the key that they count by, since when it is due, labels,
--      selectors, whether it may go before others, task and natural key where there is
--      no estimate.
SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, i.EstimatedDurationMs, SUBSTRING(i.IntegrationConfig, 1, 200), i.QueueName,
    CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
        WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END,
    RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2, i.AvailableAt, i.Labels, i.Selectors, i.Expedite,
    CASE WHEN i.EstimatedDurationMs IS NULL THEN i.TaskName END, CASE WHEN i.EstimatedDurationMs IS NULL THEN i.NaturalKey END
FROM BotWorkQueueItems i
WHERE i.State IN (0, 4) AND i.DeadlineAt IS NULL
  AND i.Priority BETWEEN @min_priority AND @max_priority
  AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
  AND i.DeletedAt IS NULL
  AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
  AND (@queues = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@queues) WITH (Queue NVARCHAR(200) '$') j WHERE j.Queue = i.QueueName))
  AND (@keys = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@keys) WITH (Queue NVARCHAR(200) '$.Queue', LimitKey NVARCHAR(200) '$.Key') j
      WHERE j.Queue = i.QueueName AND j.LimitKey = RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2))
ORDER BY i.Priority DESC, i.Id;
