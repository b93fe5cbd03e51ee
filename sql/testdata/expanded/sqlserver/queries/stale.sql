SELECT TOP (@limit_rows) c.Id, c.Fence, c.State, c.WorkerId, c.RetryCount, c.Priority
FROM (
    SELECT i.Id, i.Fence, i.State, i.WorkerId, i.RetryCount, i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 1 AND (i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
    UNION ALL
    SELECT i.Id, i.Fence, i.State, i.WorkerId, i.RetryCount, i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND (
        i.AssignedAt IS NULL
        OR i.AssignedAt < DATEADD(millisecond, -(@assigned_ms % 1000), DATEADD(second, -(@assigned_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
        OR NOT EXISTS (SELECT 1 FROM BotWorkers w
            WHERE w.Id = i.WorkerId AND w.State = N'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))))
) c;
