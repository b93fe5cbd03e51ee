SELECT v.QueueName, v.Starts, v.Event, v.Kind, COUNT_BIG(*)
FROM (
SELECT u.QueueName, DATEADD(HOUR, DATEDIFF(HOUR, CAST('2000-01-01' AS DATETIME2(3)), u.HappenedAt), CAST('2000-01-01' AS DATETIME2(3))) AS Starts, u.Event, u.Kind
FROM (
    SELECT i.QueueName, i.CreatedAt AS HappenedAt, N'enqueued' AS Event, N'' AS Kind
    FROM BotWorkQueueItems i
    WHERE i.CreatedAt >= CAST(@since AS DATETIME2(3))
    UNION ALL
    SELECT i.QueueName, i.FinishedAt AS HappenedAt, N'succeeded' AS Event, N'' AS Kind
    FROM BotWorkQueueItems i
    WHERE i.State = 2 AND i.FinishedAt >= CAST(@since AS DATETIME2(3))
    UNION ALL
    SELECT i.QueueName, i.FinishedAt AS HappenedAt, N'cancelled' AS Event, COALESCE(i.ErrorKind, N'') AS Kind
    FROM BotWorkQueueItems i
    WHERE i.State = 3 AND i.FinishedAt >= CAST(@since AS DATETIME2(3))
    UNION ALL
    SELECT i.QueueName, i.StartedAt AS HappenedAt, N'started' AS Event, N'' AS Kind
    FROM BotWorkQueueItems i
    WHERE i.State IN (2, 3) AND i.StartedAt >= CAST(@since AS DATETIME2(3))
      AND NOT EXISTS (SELECT 1 FROM BotWorkItemAttempts b WHERE b.ItemId = i.Id AND b.Fence = i.Fence)
    UNION ALL
    SELECT i.QueueName, a.StartedAt AS HappenedAt, N'started' AS Event, N'' AS Kind
    FROM BotWorkItemAttempts a
    JOIN BotWorkQueueItems i ON i.Id = a.ItemId
    WHERE a.StartedAt >= CAST(@since AS DATETIME2(3))
    UNION ALL
    SELECT i.QueueName, a.FinishedAt AS HappenedAt, CASE WHEN a.Outcome = N'timeout' THEN N'failed' ELSE a.Outcome END AS Event, CASE WHEN a.Outcome IN (N'failed', N'timeout') THEN COALESCE(a.ErrorKind, N'') ELSE N'' END AS Kind
    FROM BotWorkItemAttempts a
    JOIN BotWorkQueueItems i ON i.Id = a.ItemId
    WHERE a.FinishedAt >= CAST(@since AS DATETIME2(3)) AND COALESCE(a.ErrorKind, N'') <> N'cancelled'
) u
) v
GROUP BY v.QueueName, v.Starts, v.Event, v.Kind;
