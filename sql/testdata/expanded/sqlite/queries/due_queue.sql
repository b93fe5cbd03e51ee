SELECT undated.Id, undated.Priority, undated.DeadlineAt, undated.EstimatedDurationMs, undated.Pipeline, undated.QueueName, undated.Limited,
    undated.LimitKey, undated.AvailableAt, undated.Labels, undated.Selectors, undated.Expedite, undated.TaskName, undated.NaturalKey, undated.Scheduled, undated.ByHand
FROM (
    SELECT i.Id, i.Priority, CAST(i.DeadlineAt AS TEXT) AS DeadlineAt, i.EstimatedDurationMs, substr(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        i.LimitKey, CAST(i.AvailableAt AS TEXT) AS AvailableAt, i.Labels, i.Selectors, i.Expedite,
        CASE WHEN i.EstimatedDurationMs IS NULL THEN i.TaskName END AS TaskName, CASE WHEN i.EstimatedDurationMs IS NULL THEN i.NaturalKey END AS NaturalKey, i.Scheduled,
        CASE WHEN i.PoliciesApplied = 0 AND i.Fence = 0 THEN 1 ELSE 0 END AS ByHand
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.QueueName = @queue AND i.Fence >= 0 AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NULL
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
      AND (@queues = '[]' OR i.QueueName NOT IN (SELECT value FROM jsonb_each(@queues)))
      AND (@pipelines = '[]' OR substr(i.IntegrationConfig, 1, 200) NOT IN (SELECT value FROM jsonb_each(@pipelines)))
      AND (@keys = '[]' OR i.LimitKey IS NULL OR (i.QueueName, i.LimitKey) NOT IN (
          SELECT json_extract(value, '$.Queue'), json_extract(value, '$.Key') FROM jsonb_each(@keys)))
    ORDER BY i.Priority DESC, i.Id
    LIMIT CAST(@limit_rows AS INTEGER)) undated
UNION ALL
SELECT dated.Id, dated.Priority, dated.DeadlineAt, dated.EstimatedDurationMs, dated.Pipeline, dated.QueueName, dated.Limited,
    dated.LimitKey, dated.AvailableAt, dated.Labels, dated.Selectors, dated.Expedite, dated.TaskName, dated.NaturalKey, dated.Scheduled, dated.ByHand
FROM (
    SELECT i.Id, i.Priority, CAST(i.DeadlineAt AS TEXT) AS DeadlineAt, i.EstimatedDurationMs, substr(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        i.LimitKey, CAST(i.AvailableAt AS TEXT) AS AvailableAt, i.Labels, i.Selectors, i.Expedite,
        CASE WHEN i.EstimatedDurationMs IS NULL THEN i.TaskName END AS TaskName, CASE WHEN i.EstimatedDurationMs IS NULL THEN i.NaturalKey END AS NaturalKey, i.Scheduled,
        CASE WHEN i.PoliciesApplied = 0 AND i.Fence = 0 THEN 1 ELSE 0 END AS ByHand
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.QueueName = @queue AND i.Fence >= 0 AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
      AND (@queues = '[]' OR i.QueueName NOT IN (SELECT value FROM jsonb_each(@queues)))
      AND (@pipelines = '[]' OR substr(i.IntegrationConfig, 1, 200) NOT IN (SELECT value FROM jsonb_each(@pipelines)))
      AND (@keys = '[]' OR i.LimitKey IS NULL OR (i.QueueName, i.LimitKey) NOT IN (
          SELECT json_extract(value, '$.Queue'), json_extract(value, '$.Key') FROM jsonb_each(@keys)))
    ORDER BY i.Priority DESC, i.DeadlineAt, i.Id
    LIMIT CAST(@limit_rows AS INTEGER)) dated;
