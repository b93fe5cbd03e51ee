SELECT u.QueueName, u.Band, SUM(u.Waits), CAST(MIN(u.DueAt) AS TEXT), SUM(u.Runs)
FROM (
    SELECT i.QueueName, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band, 1 AS Waits, i.AvailableAt AS DueAt, 0 AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
    UNION ALL
    SELECT i.QueueName, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band, 1 AS Waits, i.AvailableAt AS DueAt, 0 AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
    UNION ALL
    SELECT i.QueueName, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band, 1 AS Waits, i.AvailableAt AS DueAt, 0 AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band, 0 AS Waits, NULL AS DueAt, 1 AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State = 1 AND i.DeletedAt IS NULL
) u
GROUP BY u.QueueName, u.Band;
