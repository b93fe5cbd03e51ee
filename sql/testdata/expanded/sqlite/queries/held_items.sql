SELECT assigned.Id, assigned.Priority, assigned.DeadlineAt, assigned.EstimateMs, assigned.Pipeline, assigned.QueueName, assigned.Limited, assigned.LimitKey,
    assigned.AvailableAt, assigned.Labels, assigned.Selectors, assigned.Expedite, assigned.TaskName, assigned.NaturalKey, assigned.WorkerId, assigned.Running, assigned.RunOrder, assigned.Channel, assigned.Since, assigned.FinishBy
FROM (
    SELECT i.Id, i.Priority, CAST(i.DeadlineAt AS TEXT) AS DeadlineAt, COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) AS EstimateMs,
        substr(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        i.LimitKey, CAST(i.AvailableAt AS TEXT) AS AvailableAt, i.Labels, i.Selectors, i.Expedite, NULL AS TaskName, NULL AS NaturalKey,
        i.WorkerId, 0 AS Running, i.RunOrder, i.Channel, CAST(i.AssignedAt AS TEXT) AS Since, CAST(i.FinishBy AS TEXT) AS FinishBy
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId IS NOT NULL
      AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND i.DeletedAt IS NULL
      AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
    ORDER BY i.Priority DESC, i.RunOrder, i.Id
    LIMIT CAST(@limit_rows AS INTEGER)) assigned
UNION ALL
SELECT running.Id, running.Priority, running.DeadlineAt, running.EstimateMs, running.Pipeline, running.QueueName, running.Limited, running.LimitKey,
    running.AvailableAt, running.Labels, running.Selectors, running.Expedite, running.TaskName, running.NaturalKey, running.WorkerId, running.Running, running.RunOrder, running.Channel, running.Since, running.FinishBy
FROM (
    SELECT i.Id, i.Priority, CAST(i.DeadlineAt AS TEXT) AS DeadlineAt, COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) AS EstimateMs,
        substr(i.IntegrationConfig, 1, 200) AS Pipeline, i.QueueName,
        CASE WHEN i.QueueName IN (SELECT q.Name FROM BotQueues q
            WHERE q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL) THEN 1 ELSE 0 END AS Limited,
        i.LimitKey, CAST(i.AvailableAt AS TEXT) AS AvailableAt, i.Labels, i.Selectors, i.Expedite, NULL AS TaskName, NULL AS NaturalKey,
        i.WorkerId, 1 AS Running, i.RunOrder, i.Channel, CAST(i.StartedAt AS TEXT) AS Since, CAST(i.FinishBy AS TEXT) AS FinishBy
    FROM BotWorkQueueItems i
    WHERE i.State = 1
    ORDER BY i.LeaseExpiresAt
    LIMIT CAST(@limit_rows AS INTEGER)) running;
