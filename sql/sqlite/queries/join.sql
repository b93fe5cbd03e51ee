-- join: let waiting items run together with an item that the worker has claimed, their leader: those
-- of its queue and pipeline with the same key, limit key and selectors, the most urgent first. The statement repeats all that
-- makes an item eligible now, gives each its own lease and raises its fence, and records the leader in all of them, also in
-- the leader itself. An item that a worker died with runs alone, and so does one that was inserted by hand and to which the
-- policies of its queue were not applied.
-- In:  worker, instance, leader, fence (of the leader's claim), limit_rows (without the leader), bytes (no more items are
--      taken than this much to read, without the leader), lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in any order, without columns that are the same for all, with the leader's; nothing if the worker
--      no longer holds the leader.
-- The signs + make SQLite find the outer rows by id.
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    Fence = CASE WHEN State = 1 THEN Fence ELSE MAX(Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1 END,
    WorkerId = @worker,
    AssignedAt = CASE WHEN State = 1 THEN AssignedAt ELSE {{now_once}} END,
    AssignedEstimateMs = CASE WHEN State = 1 THEN AssignedEstimateMs END,
    Channel = CASE WHEN State = 1 THEN Channel END,
    StartedAt = CASE WHEN State = 1 THEN StartedAt ELSE {{now_once}} END,
    FirstStartedAt = COALESCE(FirstStartedAt, {{now_once}}),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(IdempotencyKey, {{random_key}}),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = @leader,
    State = 1,
    LeaseExpiresAt = (SELECT {{now_plus ms=@lease_ms}})
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
          -- include: may_start row=c.
        WINDOW places AS (ORDER BY c.Priority DESC, c.Id ROWS UNBOUNDED PRECEDING)) b
    WHERE b.Place <= @limit_rows AND b.Bytes <= @bytes)
  AND (+State IN (0, 4) OR +State = 1 AND Id = @leader)
  AND EXISTS (SELECT 1 FROM BotWorkQueueItems l
      WHERE l.Id = @leader AND l.Fence = @fence AND l.State = 1 AND l.WorkerId = @worker)
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = @worker AND w.InstanceId = @instance AND (w.State = 'active' OR BotWorkQueueItems.State = 1))
RETURNING
    {{claimed_columns row=}},
    {{claimed_too_large row=}};
