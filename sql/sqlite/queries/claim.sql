-- claim: lease up to limit_rows items that are assigned to the worker, the
-- highest priority first, then in the order of the pass that assigned them, and raise
-- their fence. What has expired is not started.
-- In:  worker, instance, min_priority, max_priority, limit_rows, lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in no order; the store sorts them.
UPDATE BotWorkQueueItems SET
    State = 1,
    Fence = Fence + 1,
    StartedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    FirstStartedAt = COALESCE(FirstStartedAt, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    LogTail = NULL,
    LeaseExpiresAt = strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lease_ms / 1000.0))
WHERE State = 5 AND WorkerId = @worker AND Id IN (
    SELECT c.Id
    FROM BotWorkQueueItems c
    WHERE c.State = 5 AND c.WorkerId = @worker AND c.Priority BETWEEN @min_priority AND @max_priority
      AND (c.DeadlineAt IS NULL OR c.DeadlineAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND EXISTS (SELECT 1 FROM BotWorkers w
          WHERE w.Id = @worker AND w.InstanceId = @instance AND w.State = 'active')
    ORDER BY c.Priority DESC, c.RunOrder, c.Id
    LIMIT CAST(@limit_rows AS INTEGER))
RETURNING
    Id, QueueName, State, Priority, IntegrationConfig, Payload, Output, Progress,
    EstimatedDurationMs, WorkerId, Fence, LeaseExpiresAt, RetryCount, ReleaseCount,
    ResilienceConfig, AvailableAt, DeadlineAt, NaturalKey, Tags, Metadata, Labels, Selectors,
    RootId, TaskName, Error, ErrorKind, CreatedAt, CreatedBy, AssignedAt, StartedAt, FinishedAt,
    RetainUntil, DeletedAt, DeletedReason, Step, LogTail, FirstStartedAt, ProgressPercent,
    Analytics, Encrypted, ExpiresAt, LimitKey, Robot, RetainMs,
    TaskScope, TaskPlannedAt, RunOrder, AssignedEstimateMs, Channel, PipelineHash;
