-- claim: lease up to limit_rows items that are assigned to the worker, the
-- highest priority first, then in the order of the pass that assigned them, and raise
-- their fence. What has expired is not started.
-- In:  worker, instance, min_priority, max_priority, limit_rows, lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in no order, without what is the same for all; the store sorts
--      them.
-- SKIP LOCKED keeps claims from waiting for each other; what makes a claim
-- right is the outer WHERE, which repeats state and worker. ARRAY makes the
-- planner run the inner SELECT once: as IN it may become the inner side of a
-- join, run again for each row, and claim past its limit.
-- "State" + 0 has the outer UPDATE find its rows by their key: by the index of what is
-- assigned it would read all that the worker holds for each claim.
UPDATE "BotWorkQueueItems" SET
    "State" = 1,
    "Fence" = "Fence" + 1,
    "StartedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "FirstStartedAt" = COALESCE("FirstStartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))),
    "Step" = NULL,
    "Progress" = NULL,
    "ProgressPercent" = NULL,
    "PipelineHash" = NULL,
    "LogTail" = NULL,
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond'
WHERE "State" + 0 = 5 AND "WorkerId" = @worker AND "Id" = ANY (ARRAY(
    SELECT c."Id"
    FROM "BotWorkQueueItems" c
    WHERE c."State" = 5 AND c."WorkerId" = @worker AND c."Priority" BETWEEN @min_priority AND @max_priority
      AND (c."DeadlineAt" IS NULL OR c."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND (c."ExpiresAt" IS NULL OR c."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND EXISTS (SELECT 1 FROM "BotWorkers" w
          WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" = 'active')
    ORDER BY c."Priority" DESC, c."RunOrder", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED))
RETURNING
    "Id", "QueueName", "Priority", "IntegrationConfig", "Payload", "Output", "EstimatedDurationMs", "Fence",
    "LeaseExpiresAt", "RetryCount", "ReleaseCount", "ResilienceConfig", "AvailableAt", "DeadlineAt", "NaturalKey",
    "Tags", "Metadata", "Labels", "Selectors", "RootId", "TaskName", "Error", "ErrorKind", "CreatedAt", "CreatedBy",
    "AssignedAt", "StartedAt", "FinishedAt", "RetainUntil", "DeletedAt", "DeletedReason", "FirstStartedAt",
    "Analytics", "Encrypted", "ExpiresAt", "LimitKey", "Robot", "RetainMs", "TaskScope", "TaskPlannedAt", "RunOrder",
    "AssignedEstimateMs", "Channel", "BegunFence";
