SELECT c.Id, c.Fence, c.State, c.WorkerId, c.RetryCount, c.Priority
FROM (
    SELECT i.Id, i.Fence, i.State, i.WorkerId, i.RetryCount, i.Priority
    FROM BotWorkQueueItems i
    WHERE i.State = 1 AND (i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
    UNION ALL
    SELECT i.Id, i.Fence, i.State, i.WorkerId, i.RetryCount, i.Priority
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND (
        i.AssignedAt IS NULL
        OR i.AssignedAt < strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@assigned_ms / 1000.0))
        OR NOT EXISTS (SELECT 1 FROM BotWorkers w
            WHERE w.Id = i.WorkerId AND w.State = 'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))))
) c
LIMIT CAST(@limit_rows AS INTEGER);
