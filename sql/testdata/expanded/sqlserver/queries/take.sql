UPDATE t SET
    Version = t.Version + 1,
    State = 1,
    Fence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
    WorkerId = @worker,
    AssignedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    StartedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    FirstStartedAt = COALESCE(t.FirstStartedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(t.IdempotencyKey, LOWER(CONVERT(NVARCHAR(36), NEWID()))),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = NULL,
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
WHERE t.State IN (0, 4)
  AND t.Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j)
  AND t.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
  AND t.DeletedAt IS NULL
  AND (t.DeadlineAt IS NULL OR t.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND (t.ExpiresAt IS NULL OR t.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = t.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)) AND w.State = N'active');
