SELECT u.QueueName, u.Pipeline, u.Band, COALESCE(w.Name, ''), SUM(u.Waits), CAST(MIN(u.DueAt) AS TEXT), SUM(u.Runs)
FROM (
        SELECT i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END AS Pipeline, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band, NULL AS WorkerId,
            COUNT(*) AS Waits, MIN(i.AvailableAt) AS DueAt, 0 AS Runs
        FROM BotWorkQueueItems i
        WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
        GROUP BY i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END
        UNION ALL
        SELECT i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END AS Pipeline, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band, NULL AS WorkerId,
            COUNT(*) AS Waits, MIN(i.AvailableAt) AS DueAt, 0 AS Runs
        FROM BotWorkQueueItems i
        WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
        GROUP BY i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END
        UNION ALL
        SELECT i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END AS Pipeline, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band, i.WorkerId AS WorkerId,
            COUNT(*) AS Waits, MIN(i.AvailableAt) AS DueAt, 0 AS Runs
        FROM BotWorkQueueItems i
        WHERE i.State = 5 AND i.DeletedAt IS NULL
        GROUP BY i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END, i.WorkerId
        UNION ALL
        SELECT i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END AS Pipeline, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band, i.WorkerId AS WorkerId,
            0 AS Waits, NULL AS DueAt, COUNT(*) AS Runs
        FROM BotWorkQueueItems i
        WHERE i.State = 1 AND i.DeletedAt IS NULL
        GROUP BY i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END, i.WorkerId
    ) u
LEFT JOIN BotWorkers w ON w.Id = u.WorkerId
GROUP BY u.QueueName, u.Pipeline, u.Band, COALESCE(w.Name, '');
