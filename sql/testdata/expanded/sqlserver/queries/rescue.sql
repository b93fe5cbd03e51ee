UPDATE t SET
    Version = Version + 1,
    State = CASE WHEN t.State = 1 AND t.BegunFence = t.Fence AND t.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = t.QueueName), 5) THEN 3 ELSE 0 END,
    ReleaseCount = t.ReleaseCount + CASE WHEN t.State = 1 AND t.BegunFence = t.Fence THEN 1 ELSE 0 END,
    WorkerId = CASE WHEN t.State = 1 AND t.BegunFence = t.Fence AND t.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = t.QueueName), 5) THEN t.WorkerId END,
    ErrorKind = CASE WHEN t.State = 1 AND t.BegunFence = t.Fence AND t.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = t.QueueName), 5) THEN N'poison' ELSE t.ErrorKind END,
    Error = CASE WHEN t.State = 1 AND t.BegunFence = t.Fence AND t.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = t.QueueName), 5) THEN CONCAT(N'poison: its lease ran out ', t.ReleaseCount + 1, N' times: workers died or vanished with it, or robots were too late') ELSE t.Error END,
    FinishedAt = CASE WHEN t.State = 1 AND t.BegunFence = t.Fence AND t.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = t.QueueName), 5) THEN COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END,
    BegunFence = CASE WHEN t.State = 1 AND (t.BegunFence IS NULL OR t.BegunFence <> t.Fence) THEN 0 ELSE t.BegunFence END,
    FirstStartedAt = CASE WHEN t.State = 1 AND (t.BegunFence IS NULL OR t.BegunFence <> t.Fence) AND t.FirstStartedAt >= t.StartedAt THEN NULL ELSE t.FirstStartedAt END,
    AssignedAt = NULL,
    LeaseExpiresAt = NULL
OUTPUT inserted.Id, inserted.State, inserted.BegunFence
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = t.Id AND j.ItemFence = t.Fence)
    AND (
        t.State = 1 AND (t.LeaseExpiresAt IS NULL OR t.LeaseExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
        OR t.State = 5 AND (
            t.AssignedAt IS NULL
            OR t.AssignedAt < DATEADD(millisecond, -(@assigned_ms % 1000), DATEADD(second, -(@assigned_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
            OR NOT EXISTS (SELECT 1 FROM BotWorkers w
                WHERE w.Id = t.WorkerId AND w.State = N'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))));
