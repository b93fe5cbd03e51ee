SELECT assigned.Id, assigned.Priority, assigned.DeadlineAt, assigned.EstimateMs, assigned.Pipeline, assigned.QueueName, assigned.Limited, assigned.LimitKey,
    assigned.AvailableAt, assigned.Labels, assigned.Selectors, assigned.Expedite, assigned.TaskName, assigned.NaturalKey, assigned.WorkerId, assigned.Running, assigned.RunOrder, assigned.Channel, assigned.Since, assigned.FinishBy
FROM (
    SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) AS EstimateMs,
        SUBSTRING(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2 AS LimitKey, i.AvailableAt, i.Labels, i.Selectors, i.Expedite, NULL AS TaskName, NULL AS NaturalKey,
        i.WorkerId, 0 AS Running, i.RunOrder, i.Channel, i.AssignedAt AS Since, i.FinishBy
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId IS NOT NULL
      AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
    ORDER BY i.Priority DESC, i.RunOrder, i.Id) assigned
UNION ALL
SELECT running.Id, running.Priority, running.DeadlineAt, running.EstimateMs, running.Pipeline, running.QueueName, running.Limited, running.LimitKey,
    running.AvailableAt, running.Labels, running.Selectors, running.Expedite, running.TaskName, running.NaturalKey, running.WorkerId, running.Running, running.RunOrder, running.Channel, running.Since, running.FinishBy
FROM (
    SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) AS EstimateMs,
        SUBSTRING(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2 AS LimitKey, i.AvailableAt, i.Labels, i.Selectors, i.Expedite, NULL AS TaskName, NULL AS NaturalKey,
        i.WorkerId, 1 AS Running, i.RunOrder, i.Channel, i.StartedAt AS Since, i.FinishBy
    FROM BotWorkQueueItems i
    WHERE i.State = 1
    ORDER BY i.LeaseExpiresAt) running;
