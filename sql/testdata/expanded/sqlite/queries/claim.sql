UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 1,
    Fence = MAX(Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1,
    StartedAt = (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    FirstStartedAt = COALESCE(FirstStartedAt, (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(IdempotencyKey, lower(hex(randomblob(16)))),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = NULL,
    LeaseExpiresAt = (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lease_ms / 1000.0)))
WHERE +State = 5 AND +WorkerId = @worker AND Id IN (
    WITH startable AS NOT MATERIALIZED (
    SELECT c.Id, c.Priority, c.RunOrder, c.Expedite, COALESCE(c.AssignedEstimateMs, 0) AS WorkMs,
        COALESCE(octet_length(c.Payload), 0) + octet_length(c.IntegrationConfig) AS Bytes
    FROM BotWorkQueueItems c
    WHERE c.State = 5 AND c.WorkerId = @worker AND c.Priority BETWEEN @min_priority AND @max_priority
      AND c.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND c.DeletedAt IS NULL
      AND (c.DeadlineAt IS NULL OR c.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = c.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
      AND (@full_channels = '[]' OR c.Channel IS NULL OR c.Channel NOT IN (SELECT value FROM jsonb_each(@full_channels)))
      AND EXISTS (SELECT 1 FROM BotWorkers w
          WHERE w.Id = @worker AND w.InstanceId = @instance AND w.State = 'active'))
    SELECT b.Id
    FROM (
    SELECT l.Id, ROW_NUMBER() OVER places AS Place, SUM(l.WorkMs) OVER places - l.WorkMs AS WorkBefore, SUM(l.Bytes) OVER places - l.Bytes AS BytesBefore
    FROM (
    SELECT expedited.Id, 0 AS Turn, expedited.Priority, expedited.RunOrder, expedited.WorkMs, expedited.Bytes
    FROM (
        SELECT c.Id, c.Priority, c.RunOrder, c.WorkMs, c.Bytes
        FROM startable c
        WHERE c.Expedite = 1 AND c.RunOrder < -1000000000000000000
        ORDER BY c.Priority DESC, c.RunOrder, c.Id
        LIMIT CAST(@limit_rows AS INTEGER)) expedited
    UNION ALL
    SELECT rest.Id, 1, rest.Priority, rest.RunOrder, rest.WorkMs, rest.Bytes
    FROM (
        SELECT c.Id, c.Priority, c.RunOrder, c.WorkMs, c.Bytes
        FROM startable c
        WHERE c.Expedite = 0 OR c.RunOrder >= -1000000000000000000
        ORDER BY c.Priority DESC, c.RunOrder, c.Id
        LIMIT CAST(@limit_rows AS INTEGER)) rest) l
    WINDOW places AS (ORDER BY l.Turn, l.Priority DESC, l.RunOrder, l.Id ROWS UNBOUNDED PRECEDING)) b
    WHERE b.Place <= @limit_rows AND (b.Place <= @begin_rows OR b.WorkBefore <= @work_ms AND b.BytesBefore <= @bytes))
RETURNING
    Id, QueueName, Priority,
    CASE WHEN octet_length(IntegrationConfig) <= 2097152 THEN IntegrationConfig END,
    CASE WHEN octet_length(Payload) <= 2097152 THEN Payload END,
    CASE WHEN octet_length(Output) <= 2097152 THEN Output END, EstimatedDurationMs, Fence,
    CAST(LeaseExpiresAt AS TEXT), RetryCount, ReleaseCount, ResilienceConfig, CAST(AvailableAt AS TEXT),
    CAST(DeadlineAt AS TEXT), NaturalKey, Tags, Metadata, Labels, Selectors, RootId, TaskName, Error,
    ErrorKind, CAST(CreatedAt AS TEXT), CreatedBy, CAST(AssignedAt AS TEXT), CAST(StartedAt AS TEXT),
    CAST(FinishedAt AS TEXT), CAST(RetainUntil AS TEXT), CAST(DeletedAt AS TEXT), DeletedReason,
    CAST(FirstStartedAt AS TEXT), Analytics, Encrypted, CAST(ExpiresAt AS TEXT), LimitKey, Robot,
    RetainMs, TaskScope, CAST(TaskPlannedAt AS TEXT), RunOrder, AssignedEstimateMs, Channel, BegunFence,
    IdempotencyKey, Version, CAST(FinishBy AS TEXT), BatchKey, BatchMax,
    CASE WHEN octet_length(IntegrationConfig) > 2097152 OR octet_length(Payload) > 2097152 OR octet_length(Output) > 2097152 THEN 1 END;
