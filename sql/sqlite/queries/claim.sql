-- claim: lease up to limit_rows items that are assigned to the worker, the
-- highest priority first, then in the order of the pass that assigned them, and raise
-- their fence. What has expired is not started.
-- In:  worker, instance, min_priority, max_priority, limit_rows, lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in no order, without what is the same for all; the store sorts
--      them.
-- The signs + before the outer columns have the rows found by their ids: by the index of
-- what is assigned, all that the worker holds would be read for each claim. Times are
-- read as texts, which the driver does not try to understand.
UPDATE BotWorkQueueItems SET
    State = 1,
    Fence = Fence + 1,
    StartedAt = (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    FirstStartedAt = COALESCE(FirstStartedAt, (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    LogTail = NULL,
    LeaseExpiresAt = (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lease_ms / 1000.0)))
WHERE +State = 5 AND +WorkerId = @worker AND Id IN (
    SELECT c.Id
    FROM BotWorkQueueItems c
    WHERE c.State = 5 AND c.WorkerId = @worker AND c.Priority BETWEEN @min_priority AND @max_priority
      AND (c.DeadlineAt IS NULL OR c.DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
      AND EXISTS (SELECT 1 FROM BotWorkers w
          WHERE w.Id = @worker AND w.InstanceId = @instance AND w.State = 'active')
    ORDER BY c.Priority DESC, c.RunOrder, c.Id
    LIMIT CAST(@limit_rows AS INTEGER))
RETURNING
    Id, QueueName, Priority, IntegrationConfig, Payload, Output, EstimatedDurationMs, Fence,
    CAST(LeaseExpiresAt AS TEXT), RetryCount, ReleaseCount, ResilienceConfig, CAST(AvailableAt AS TEXT),
    CAST(DeadlineAt AS TEXT), NaturalKey, Tags, Metadata, Labels, Selectors, RootId, TaskName, Error, ErrorKind,
    CAST(CreatedAt AS TEXT), CreatedBy, CAST(AssignedAt AS TEXT), CAST(StartedAt AS TEXT), CAST(FinishedAt AS TEXT),
    CAST(RetainUntil AS TEXT), CAST(DeletedAt AS TEXT), DeletedReason, CAST(FirstStartedAt AS TEXT), Analytics,
    Encrypted, CAST(ExpiresAt AS TEXT), LimitKey, Robot, RetainMs, TaskScope, CAST(TaskPlannedAt AS TEXT), RunOrder,
    AssignedEstimateMs, Channel, BegunFence;
