-- stale: items that no worker will run. Two halves, so that each uses its index.
-- In:  assigned_ms, limit_rows, now (NULL: the database clock)
-- Out: candidates for rescue, which repeats these conditions.
SELECT TOP (@limit_rows) c.Id, c.Fence, c.State, c.WorkerId, c.RetryCount, c.Priority
FROM (
    SELECT i.Id, i.Fence, i.State, i.WorkerId, i.RetryCount, i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 1 AND (i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt < {{now}})
    UNION ALL
    SELECT i.Id, i.Fence, i.State, i.WorkerId, i.RetryCount, i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND (
        i.AssignedAt IS NULL
        OR i.AssignedAt < {{now_minus ms=@assigned_ms}}
        OR NOT EXISTS (SELECT 1 FROM BotWorkers w
            WHERE w.Id = i.WorkerId AND w.State = N'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= {{now}})))
) c;
