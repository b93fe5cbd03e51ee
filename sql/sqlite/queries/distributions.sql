-- distributions: how the items of queues are given to workers, where the queue says so.
-- Out: queue, distribution as JSON.
SELECT q.Name, q.Distribution
FROM BotQueues q
WHERE q.Distribution IS NOT NULL;
