SELECT i.QueueName, COUNT(*) AS Waiting, SUM(CASE WHEN i.State = 4 THEN 1 ELSE 0 END) AS Pending, SUM(CASE WHEN i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) THEN 1 ELSE 0 END) AS Due,
    SUM(CASE WHEN i.AvailableAt > (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) AND i.RetryCount > 0 THEN 1 ELSE 0 END) AS Retry, CAST(MIN(i.AvailableAt) AS TEXT) AS Oldest, 0 AS Assigned, 0 AS Running
FROM BotWorkQueueItems i
WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL
GROUP BY i.QueueName
UNION ALL
SELECT i.QueueName, COUNT(*) AS Waiting, SUM(CASE WHEN i.State = 4 THEN 1 ELSE 0 END) AS Pending, SUM(CASE WHEN i.AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) THEN 1 ELSE 0 END) AS Due,
    SUM(CASE WHEN i.AvailableAt > (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) AND i.RetryCount > 0 THEN 1 ELSE 0 END) AS Retry, CAST(MIN(i.AvailableAt) AS TEXT) AS Oldest, 0 AS Assigned, 0 AS Running
FROM BotWorkQueueItems i
WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL
GROUP BY i.QueueName
UNION ALL
SELECT i.QueueName, 0, 0, 0, 0, NULL, COUNT(*), 0
FROM BotWorkQueueItems i
WHERE i.State = 5 AND i.DeletedAt IS NULL
GROUP BY i.QueueName
UNION ALL
SELECT i.QueueName, 0, 0, 0, 0, NULL, 0, COUNT(*)
FROM BotWorkQueueItems i
WHERE i.State = 1 AND i.DeletedAt IS NULL
GROUP BY i.QueueName;
