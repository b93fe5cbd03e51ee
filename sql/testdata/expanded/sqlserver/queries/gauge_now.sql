SELECT u.QueueName, u.Band, SUM(u.Waits), MIN(u.DueAt), SUM(u.Runs)
FROM (
    SELECT i.QueueName, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band, CAST(1 AS BIGINT) AS Waits, i.AvailableAt AS DueAt, CAST(0 AS BIGINT) AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
    UNION ALL
    SELECT i.QueueName, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band, CAST(1 AS BIGINT) AS Waits, i.AvailableAt AS DueAt, CAST(0 AS BIGINT) AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
    UNION ALL
    SELECT i.QueueName, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band, CAST(1 AS BIGINT) AS Waits, i.AvailableAt AS DueAt, CAST(0 AS BIGINT) AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band, CAST(0 AS BIGINT) AS Waits, NULL AS DueAt, CAST(1 AS BIGINT) AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State = 1 AND i.DeletedAt IS NULL
) u
GROUP BY u.QueueName, u.Band;
