SELECT TOP (@limit_rows) i.Id, i.Priority, i.DeadlineAt, COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs), SUBSTRING(i.IntegrationConfig, 1, 200), i.QueueName,
    0, NULL, i.AvailableAt, i.Labels, i.Selectors, i.Expedite, NULL, NULL, i.WorkerId
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
WHERE i.State = 5 AND i.WorkerId IS NOT NULL
  AND i.Priority BETWEEN @min_priority AND @max_priority
  AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
  AND i.DeletedAt IS NULL
  AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND (i.ExpiresAt IS NULL OR i.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
ORDER BY CASE WHEN i.Expedite = 1 AND i.RunOrder < -1000000000000000000 THEN 0 ELSE 1 END, i.Priority DESC, i.RunOrder, i.Id;
