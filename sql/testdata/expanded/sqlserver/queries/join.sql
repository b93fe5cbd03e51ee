WITH candidates AS (
    SELECT TOP (@limit_rows) c.Id, c.Priority,
        COALESCE(CAST(DATALENGTH(c.Payload) AS BIGINT), 0) + CAST(DATALENGTH(c.IntegrationConfig) AS BIGINT) AS Bytes
    FROM BotWorkQueueItems l WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    JOIN BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK) ON c.QueueName = l.QueueName AND c.BatchKey = l.BatchKey
        AND c.IntegrationConfig = l.IntegrationConfig
    WHERE l.Id = @leader AND l.ReleaseCount = 0
      AND c.BatchKey IS NOT NULL AND c.State IN (0, 1, 4, 5) AND c.State IN (0, 4) AND c.ReleaseCount = 0 AND (c.PoliciesApplied = 1 OR c.Fence > 0)
      AND COALESCE(c.LimitKey, N'') = RTRIM(COALESCE(l.LimitKey, N'')) COLLATE Latin1_General_100_BIN2
      AND COALESCE(c.Selectors, N'') = RTRIM(COALESCE(l.Selectors, N'')) COLLATE Latin1_General_100_BIN2
      AND c.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND c.DeletedAt IS NULL
      AND (c.DeadlineAt IS NULL OR c.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = c.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
    ORDER BY c.Priority DESC, c.Id)
UPDATE t SET
    Version = t.Version + 1,
    Fence = CASE WHEN t.State = 1 THEN t.Fence
        ELSE CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1 END,
    WorkerId = @worker,
    AssignedAt = CASE WHEN t.State = 1 THEN t.AssignedAt ELSE COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END,
    AssignedEstimateMs = CASE WHEN t.State = 1 THEN t.AssignedEstimateMs END,
    Channel = CASE WHEN t.State = 1 THEN t.Channel END,
    StartedAt = CASE WHEN t.State = 1 THEN t.StartedAt ELSE COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END,
    FirstStartedAt = COALESCE(t.FirstStartedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(t.IdempotencyKey, LOWER(CONVERT(NVARCHAR(36), NEWID()))),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = @leader,
    State = 1,
    LeaseExpiresAt = DATEADD(millisecond, (@lease_ms % 1000), DATEADD(second, (@lease_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
OUTPUT
    inserted.Id, inserted.QueueName, inserted.Priority,
    CASE WHEN DATALENGTH(inserted.IntegrationConfig) <= 4194304 THEN inserted.IntegrationConfig END,
    CASE WHEN DATALENGTH(inserted.Payload) <= 4194304 THEN inserted.Payload END,
    CASE WHEN DATALENGTH(inserted.Output) <= 4194304 THEN inserted.Output END,
    inserted.EstimatedDurationMs, inserted.Fence, inserted.LeaseExpiresAt, inserted.RetryCount,
    inserted.ReleaseCount, inserted.ResilienceConfig, inserted.AvailableAt, inserted.DeadlineAt,
    inserted.NaturalKey, inserted.Tags, inserted.Metadata, inserted.Labels, inserted.Selectors,
    inserted.RootId, inserted.TaskName, inserted.Error, inserted.ErrorKind, inserted.CreatedAt,
    inserted.CreatedBy, inserted.AssignedAt, inserted.StartedAt, inserted.FinishedAt,
    inserted.RetainUntil, inserted.DeletedAt, inserted.DeletedReason, inserted.FirstStartedAt,
    inserted.Analytics, inserted.Encrypted, inserted.ExpiresAt, inserted.LimitKey, inserted.Robot,
    inserted.RetainMs, inserted.TaskScope, inserted.TaskPlannedAt, inserted.RunOrder,
    inserted.AssignedEstimateMs, inserted.Channel, inserted.BegunFence, inserted.IdempotencyKey,
    inserted.Version, inserted.FinishBy, inserted.BatchKey, inserted.BatchMax,
    CASE WHEN DATALENGTH(inserted.IntegrationConfig) > 4194304 OR DATALENGTH(inserted.Payload) > 4194304 OR DATALENGTH(inserted.Output) > 4194304 THEN 1 END
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE (t.Id = @leader AND t.State = 1 OR t.State IN (0, 4)
    AND t.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
    AND t.DeletedAt IS NULL
    AND (t.DeadlineAt IS NULL OR t.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
    AND (t.ExpiresAt IS NULL OR t.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
    AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = t.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots')))
  AND t.Id IN (
    SELECT @leader
    UNION ALL
    SELECT b.Id
    FROM (
        SELECT c.Id, SUM(c.Bytes) OVER (ORDER BY c.Priority DESC, c.Id ROWS UNBOUNDED PRECEDING) AS Bytes
        FROM candidates c) b
    WHERE b.Bytes <= @bytes)
  AND EXISTS (SELECT 1 FROM BotWorkQueueItems l
      WHERE l.Id = @leader AND l.Fence = @fence AND l.State = 1 AND l.WorkerId = @worker)
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)) AND (w.State = N'active' OR t.State = 1));
