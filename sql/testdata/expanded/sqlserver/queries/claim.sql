WITH startable AS (
    SELECT c.Id, c.Priority, c.RunOrder, c.Expedite, COALESCE(c.AssignedEstimateMs, 0) AS WorkMs,
        COALESCE(CAST(DATALENGTH(c.Payload) AS BIGINT), 0) + CAST(DATALENGTH(c.IntegrationConfig) AS BIGINT) AS Bytes
    FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.State = 5 AND c.WorkerId = @worker AND c.Priority BETWEEN @min_priority AND @max_priority
      AND c.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND c.DeletedAt IS NULL
      AND (c.DeadlineAt IS NULL OR c.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = c.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
      AND (@full_channels = N'[]' OR c.Channel IS NULL OR c.Channel NOT IN (SELECT f.value FROM OPENJSON(@full_channels) f))
      AND EXISTS (SELECT 1 FROM BotWorkers w
          WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)) AND w.State = N'active'))
UPDATE t SET
    Version = t.Version + 1,
    State = 1,
    Fence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
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
WHERE t.State = 5 AND t.WorkerId = @worker AND t.Id IN (
    SELECT b.Id
    FROM (
    SELECT l.Id, ROW_NUMBER() OVER (ORDER BY l.Turn, l.Priority DESC, l.RunOrder, l.Id) AS Place,
        SUM(l.WorkMs) OVER (ORDER BY l.Turn, l.Priority DESC, l.RunOrder, l.Id ROWS UNBOUNDED PRECEDING) - l.WorkMs AS WorkBefore,
        SUM(l.Bytes) OVER (ORDER BY l.Turn, l.Priority DESC, l.RunOrder, l.Id ROWS UNBOUNDED PRECEDING) - l.Bytes AS BytesBefore
    FROM (
    SELECT expedited.Id, 0 AS Turn, expedited.Priority, expedited.RunOrder, expedited.WorkMs, expedited.Bytes
    FROM (
        SELECT TOP (@limit_rows) c.Id, c.Priority, c.RunOrder, c.WorkMs, c.Bytes
        FROM startable c
        WHERE c.Expedite = 1 AND c.RunOrder < -1000000000000000000
        ORDER BY c.Priority DESC, c.RunOrder, c.Id) expedited
    UNION ALL
    SELECT rest.Id, 1, rest.Priority, rest.RunOrder, rest.WorkMs, rest.Bytes
    FROM (
        SELECT TOP (@limit_rows) c.Id, c.Priority, c.RunOrder, c.WorkMs, c.Bytes
        FROM startable c
        WHERE c.Expedite = 0 OR c.RunOrder >= -1000000000000000000
        ORDER BY c.Priority DESC, c.RunOrder, c.Id) rest) l) b
    WHERE b.Place <= @limit_rows AND (b.Place <= @begin_rows OR b.WorkBefore <= @work_ms AND b.BytesBefore <= @bytes));
