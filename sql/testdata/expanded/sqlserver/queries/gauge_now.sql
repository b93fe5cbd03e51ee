SELECT u.QueueName, u.Pipeline, u.Band, COALESCE(w.Name, N''), SUM(u.Waits), MIN(u.DueAt), SUM(u.Runs)
FROM (
        SELECT i.QueueName, i.PipelineName AS Pipeline, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band, CAST(NULL AS BIGINT) AS WorkerId,
            COUNT_BIG(*) AS Waits, MIN(i.AvailableAt) AS DueAt, CAST(0 AS BIGINT) AS Runs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
        GROUP BY i.QueueName, i.PipelineName, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END
        UNION ALL
        SELECT i.QueueName, i.PipelineName AS Pipeline, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band, CAST(NULL AS BIGINT) AS WorkerId,
            COUNT_BIG(*) AS Waits, MIN(i.AvailableAt) AS DueAt, CAST(0 AS BIGINT) AS Runs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
        GROUP BY i.QueueName, i.PipelineName, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END
        UNION ALL
        SELECT i.QueueName, i.PipelineName AS Pipeline, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band, i.WorkerId AS WorkerId,
            COUNT_BIG(*) AS Waits, MIN(i.AvailableAt) AS DueAt, CAST(0 AS BIGINT) AS Runs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE i.State = 5 AND i.DeletedAt IS NULL
        GROUP BY i.QueueName, i.PipelineName, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END, i.WorkerId
        UNION ALL
        SELECT i.QueueName, i.PipelineName AS Pipeline, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band, i.WorkerId AS WorkerId,
            CAST(0 AS BIGINT) AS Waits, CAST(NULL AS DATETIME2(3)) AS DueAt, COUNT_BIG(*) AS Runs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE i.State = 1 AND i.DeletedAt IS NULL
        GROUP BY i.QueueName, i.PipelineName, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END, i.WorkerId
    ) u
LEFT JOIN BotWorkers w ON w.Id = u.WorkerId
GROUP BY u.QueueName, u.Pipeline, u.Band, COALESCE(w.Name, N'');
