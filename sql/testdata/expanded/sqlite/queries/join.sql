UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    Fence = CASE WHEN State = 1 THEN Fence ELSE MAX(Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1 END,
    WorkerId = @worker,
    AssignedAt = CASE WHEN State = 1 THEN AssignedAt ELSE (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) END,
    AssignedEstimateMs = CASE WHEN State = 1 THEN AssignedEstimateMs END,
    Channel = CASE WHEN State = 1 THEN Channel END,
    StartedAt = CASE WHEN State = 1 THEN StartedAt ELSE (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) END,
    FirstStartedAt = COALESCE(FirstStartedAt, (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(IdempotencyKey, lower(hex(randomblob(16)))),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = @leader,
    State = 1,
    LeaseExpiresAt = (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lease_ms / 1000.0)))
WHERE Id IN (
    SELECT CAST(@leader AS INTEGER)
    UNION ALL
    SELECT b.Id
    FROM (
        SELECT c.Id, ROW_NUMBER() OVER places AS Place,
            SUM(COALESCE(octet_length(c.Payload), 0) + octet_length(c.IntegrationConfig)) OVER places AS Bytes
        FROM BotWorkQueueItems l JOIN BotWorkQueueItems c ON c.QueueName = l.QueueName AND c.BatchKey = l.BatchKey
            AND c.IntegrationConfig = l.IntegrationConfig AND COALESCE(c.LimitKey, '') = COALESCE(l.LimitKey, '')
            AND COALESCE(c.Selectors, '') = COALESCE(l.Selectors, '')
        WHERE l.Id = @leader AND l.ReleaseCount = 0
          AND c.BatchKey IS NOT NULL AND c.State IN (0, 1, 4, 5) AND c.State IN (0, 4) AND c.ReleaseCount = 0 AND (c.PoliciesApplied = 1 OR c.Fence > 0)
          AND c.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
          AND c.DeletedAt IS NULL
          AND (c.DeadlineAt IS NULL OR c.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
          AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
          AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = c.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
        WINDOW places AS (ORDER BY c.Priority DESC, c.Id ROWS UNBOUNDED PRECEDING)) b
    WHERE b.Place <= @limit_rows AND b.Bytes <= @bytes)
  AND (+State IN (0, 4) OR +State = 1 AND Id = @leader)
  AND EXISTS (SELECT 1 FROM BotWorkQueueItems l
      WHERE l.Id = @leader AND l.Fence = @fence AND l.State = 1 AND l.WorkerId = @worker)
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = @worker AND w.InstanceId = @instance AND (w.State = 'active' OR BotWorkQueueItems.State = 1))
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
