-- limit_held: the items that are assigned or run, of queues that limit them. Two
-- halves, so that each uses its index: what it reads is bounded by what is held.
-- Out: queue, key, items; a queue and key may come twice.
SELECT q.Name, i.LimitKey, COUNT(*)
FROM BotWorkQueueItems i JOIN BotQueues q ON q.Name = i.QueueName
WHERE i.State = 5 AND (q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL)
GROUP BY q.Name, i.LimitKey
UNION ALL
SELECT q.Name, i.LimitKey, COUNT(*)
FROM BotWorkQueueItems i JOIN BotQueues q ON q.Name = i.QueueName
WHERE i.State = 1 AND (q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL)
GROUP BY q.Name, i.LimitKey;
