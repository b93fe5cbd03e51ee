UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN 3 ELSE 0 END,
    ReleaseCount = BotWorkQueueItems.ReleaseCount + CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence THEN 1 ELSE 0 END,
    WorkerId = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN BotWorkQueueItems.WorkerId END,
    ErrorKind = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN 'poison' ELSE BotWorkQueueItems.ErrorKind END,
    Error = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN 'poison: its lease ran out ' || (BotWorkQueueItems.ReleaseCount + 1) || ' times: workers died or vanished with it, or robots were too late' ELSE BotWorkQueueItems.Error END,
    FinishedAt = CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence AND BotWorkQueueItems.ReleaseCount + 1 >= COALESCE((SELECT q.MaxReleases FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 5) THEN COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) END,
    BegunFence = CASE WHEN BotWorkQueueItems.State = 1 AND (BotWorkQueueItems.BegunFence IS NULL OR BotWorkQueueItems.BegunFence <> BotWorkQueueItems.Fence) THEN 0 ELSE BotWorkQueueItems.BegunFence END,
    FirstStartedAt = CASE WHEN BotWorkQueueItems.State = 1 AND (BotWorkQueueItems.BegunFence IS NULL OR BotWorkQueueItems.BegunFence <> BotWorkQueueItems.Fence) AND BotWorkQueueItems.FirstStartedAt >= BotWorkQueueItems.StartedAt THEN NULL ELSE BotWorkQueueItems.FirstStartedAt END,
    AssignedAt = NULL,
    LeaseExpiresAt = NULL
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence
    AND (
        BotWorkQueueItems.State = 1 AND (BotWorkQueueItems.LeaseExpiresAt IS NULL OR BotWorkQueueItems.LeaseExpiresAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
        OR BotWorkQueueItems.State = 5 AND (
            BotWorkQueueItems.AssignedAt IS NULL
            OR BotWorkQueueItems.AssignedAt < strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@assigned_ms / 1000.0))
            OR NOT EXISTS (SELECT 1 FROM BotWorkers w
                WHERE w.Id = BotWorkQueueItems.WorkerId AND w.State = 'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))))
RETURNING Id, State, BegunFence;
