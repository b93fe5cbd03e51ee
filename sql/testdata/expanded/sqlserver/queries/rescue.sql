UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN 3 ELSE 0 END,
    ReleaseCount = BotWorkQueueItems.ReleaseCount + CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence THEN 1 ELSE 0 END,
    WorkerId = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN BotWorkQueueItems.WorkerId END,
    ErrorKind = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN N'poison' ELSE BotWorkQueueItems.ErrorKind END,
    Error = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN CONCAT(N'poison: its lease ran out ', BotWorkQueueItems.ReleaseCount + 1, N' times: workers died or vanished with it, or robots were too late') ELSE BotWorkQueueItems.Error END,
    FinishedAt = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END,
    BegunFence = CASE WHEN BotWorkQueueItems.State = 1 AND (BotWorkQueueItems.BegunFence IS NULL OR BotWorkQueueItems.BegunFence <> BotWorkQueueItems.Fence) THEN 0 ELSE BotWorkQueueItems.BegunFence END,
    FirstStartedAt = CASE WHEN BotWorkQueueItems.State = 1 AND (BotWorkQueueItems.BegunFence IS NULL OR BotWorkQueueItems.BegunFence <> BotWorkQueueItems.Fence) AND BotWorkQueueItems.FirstStartedAt >= BotWorkQueueItems.StartedAt THEN NULL ELSE BotWorkQueueItems.FirstStartedAt END,
    AssignedAt = NULL,
    LeaseExpiresAt = NULL
OUTPUT inserted.Id, inserted.State, inserted.BegunFence
WHERE EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence)
    AND (
        BotWorkQueueItems.State = 1 AND (BotWorkQueueItems.LeaseExpiresAt IS NULL OR BotWorkQueueItems.LeaseExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
        OR BotWorkQueueItems.State = 5 AND (
            BotWorkQueueItems.AssignedAt IS NULL
            OR BotWorkQueueItems.AssignedAt < DATEADD(millisecond, -(@assigned_ms % 1000), DATEADD(second, -(@assigned_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
            OR NOT EXISTS (SELECT 1 FROM BotWorkers w
                WHERE w.Id = BotWorkQueueItems.WorkerId AND w.State = N'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))));
