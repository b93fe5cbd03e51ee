SELECT undated.Id, undated.Priority, undated.DeadlineAt, undated.EstimatedDurationMs, undated.Pipeline, undated.QueueName, undated.Limited,
    undated.LimitKey, undated.AvailableAt, undated.Labels, undated.Selectors, undated.Expedite, undated.TaskName, undated.NaturalKey, undated.Scheduled, undated.ByHand
FROM (
    SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, i.EstimatedDurationMs, SUBSTRING(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2 AS LimitKey, i.AvailableAt, i.Labels, i.Selectors, i.Expedite,
        CASE WHEN i.EstimatedDurationMs IS NULL THEN i.TaskName END AS TaskName, CASE WHEN i.EstimatedDurationMs IS NULL THEN i.NaturalKey END AS NaturalKey, i.Scheduled,
        CASE WHEN i.PoliciesApplied = 0 AND i.Fence = 0 THEN 1 ELSE 0 END AS ByHand
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.QueueName = CAST(@queue AS NVARCHAR(450)) AND i.Fence >= 0 AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NULL
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
      AND (@queues = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@queues) WITH (Queue NVARCHAR(200) '$') j WHERE j.Queue = i.QueueName))
      AND (@pipelines = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@pipelines) WITH (Pipeline NVARCHAR(200) '$') j WHERE j.Pipeline = LEFT(i.IntegrationConfig, 200)))
      AND (@keys = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@keys) WITH (Queue NVARCHAR(200) '$.Queue', LimitKey NVARCHAR(200) '$.Key') j
          WHERE j.Queue = i.QueueName AND j.LimitKey = RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2))
    ORDER BY i.Priority DESC, i.Id) undated
UNION ALL
SELECT dated.Id, dated.Priority, dated.DeadlineAt, dated.EstimatedDurationMs, dated.Pipeline, dated.QueueName, dated.Limited,
    dated.LimitKey, dated.AvailableAt, dated.Labels, dated.Selectors, dated.Expedite, dated.TaskName, dated.NaturalKey, dated.Scheduled, dated.ByHand
FROM (
    SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, i.EstimatedDurationMs, SUBSTRING(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2 AS LimitKey, i.AvailableAt, i.Labels, i.Selectors, i.Expedite,
        CASE WHEN i.EstimatedDurationMs IS NULL THEN i.TaskName END AS TaskName, CASE WHEN i.EstimatedDurationMs IS NULL THEN i.NaturalKey END AS NaturalKey, i.Scheduled,
        CASE WHEN i.PoliciesApplied = 0 AND i.Fence = 0 THEN 1 ELSE 0 END AS ByHand
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.QueueName = CAST(@queue AS NVARCHAR(450)) AND i.Fence >= 0 AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.Priority BETWEEN @min_priority AND @max_priority
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
      AND (@queues = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@queues) WITH (Queue NVARCHAR(200) '$') j WHERE j.Queue = i.QueueName))
      AND (@pipelines = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@pipelines) WITH (Pipeline NVARCHAR(200) '$') j WHERE j.Pipeline = LEFT(i.IntegrationConfig, 200)))
      AND (@keys = N'[]' OR NOT EXISTS (SELECT 1 FROM OPENJSON(@keys) WITH (Queue NVARCHAR(200) '$.Queue', LimitKey NVARCHAR(200) '$.Key') j
          WHERE j.Queue = i.QueueName AND j.LimitKey = RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2))
    ORDER BY i.Priority DESC, i.DeadlineAt, i.Id) dated;
