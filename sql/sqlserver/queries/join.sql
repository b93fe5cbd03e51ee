-- join: let waiting items run together with an item that the worker has claimed, their leader: those
-- of its queue and pipeline with the same key, limit key and selectors, the most urgent first. The statement repeats all that
-- makes an item eligible now, gives each its own lease and raises its fence, and records the leader in all of them, also in
-- the leader itself. An item that a worker died with runs alone, and so does one that was inserted by hand and to which the
-- policies of its queue were not applied.
-- In:  worker, instance, leader, fence (of the leader's claim), limit_rows (without the leader), bytes (no more items are
--      taken than this much to read, without the leader), lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in any order, without columns that are the same for all, with the leader's; nothing if the worker
--      no longer holds the leader.
-- With these hints two leaders of one key do not wait for each other; the outer WHERE, which repeats what makes an item
-- eligible, makes it correct.
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
      -- include: may_start row=c.
    ORDER BY c.Priority DESC, c.Id)
UPDATE t SET
    Version = t.Version + 1,
    Fence = CASE WHEN t.State = 1 THEN t.Fence
        ELSE CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1 END,
    WorkerId = @worker,
    AssignedAt = CASE WHEN t.State = 1 THEN t.AssignedAt ELSE {{now}} END,
    AssignedEstimateMs = CASE WHEN t.State = 1 THEN t.AssignedEstimateMs END,
    Channel = CASE WHEN t.State = 1 THEN t.Channel END,
    StartedAt = CASE WHEN t.State = 1 THEN t.StartedAt ELSE {{now}} END,
    FirstStartedAt = COALESCE(t.FirstStartedAt, {{now}}),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(t.IdempotencyKey, {{random_key}}),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = @leader,
    State = 1,
    LeaseExpiresAt = {{now_plus ms=@lease_ms}}
OUTPUT
    {{claimed_columns row=inserted.}},
    {{claimed_too_large row=inserted.}}
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE (t.Id = @leader AND t.State = 1 OR t.State IN (0, 4)
    {{may_start row=t.}})
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
