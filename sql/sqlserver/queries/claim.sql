-- claim: lease up to limit_rows items that are assigned to the worker, the
-- highest priority first, then in the order of the pass that assigned them, and raise
-- their fence. What has expired is not started.
-- In:  worker, instance, min_priority, max_priority, limit_rows, lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in no order, without what is the same for all; the store sorts
--      them.
-- The hints keep claims from waiting for each other; what makes a claim right
-- is the outer WHERE, which repeats state and worker.
UPDATE t SET
    State = 1,
    Fence = t.Fence + 1,
    StartedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    FirstStartedAt = COALESCE(t.FirstStartedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    LogTail = NULL,
    LeaseExpiresAt = DATEADD(millisecond, (@lease_ms % 1000), DATEADD(second, (@lease_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
OUTPUT
    inserted.Id, inserted.QueueName, inserted.Priority, inserted.IntegrationConfig, inserted.Payload, inserted.Output,
    inserted.EstimatedDurationMs, inserted.Fence, inserted.LeaseExpiresAt, inserted.RetryCount, inserted.ReleaseCount,
    inserted.ResilienceConfig, inserted.AvailableAt, inserted.DeadlineAt, inserted.NaturalKey, inserted.Tags,
    inserted.Metadata, inserted.Labels, inserted.Selectors, inserted.RootId, inserted.TaskName, inserted.Error,
    inserted.ErrorKind, inserted.CreatedAt, inserted.CreatedBy, inserted.AssignedAt, inserted.StartedAt,
    inserted.FinishedAt, inserted.RetainUntil, inserted.DeletedAt, inserted.DeletedReason, inserted.FirstStartedAt,
    inserted.Analytics, inserted.Encrypted, inserted.ExpiresAt, inserted.LimitKey, inserted.Robot, inserted.RetainMs,
    inserted.TaskScope, inserted.TaskPlannedAt, inserted.RunOrder, inserted.AssignedEstimateMs, inserted.Channel,
    inserted.BegunFence
FROM BotWorkQueueItems t
WHERE t.State = 5 AND t.WorkerId = @worker AND t.Id IN (
    SELECT TOP (@limit_rows) c.Id
    FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.State = 5 AND c.WorkerId = @worker AND c.Priority BETWEEN @min_priority AND @max_priority
      AND (c.DeadlineAt IS NULL OR c.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND EXISTS (SELECT 1 FROM BotWorkers w
          WHERE w.Id = @worker AND w.InstanceId = @instance AND w.State = N'active')
    ORDER BY c.Priority DESC, c.RunOrder, c.Id);
