SELECT q.Name, RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2, COUNT(*)
FROM BotWorkQueueItems i JOIN BotQueues q ON q.Name = i.QueueName
WHERE i.State = 5 AND (q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL)
GROUP BY q.Name, RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2
UNION ALL
SELECT q.Name, RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2, COUNT(*)
FROM BotWorkQueueItems i JOIN BotQueues q ON q.Name = i.QueueName
WHERE i.State = 1 AND (i.BatchLeaderId IS NULL OR i.BatchLeaderId = i.Id) AND (q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL)
GROUP BY q.Name, RTRIM(i.LimitKey) COLLATE Latin1_General_100_BIN2;
