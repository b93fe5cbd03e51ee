-- distributions: how queues distribute their items to workers, for queues that define it.
-- Out: queue, distribution as JSON.
SELECT q.Name, q.Distribution
FROM BotQueues q
WHERE q.Distribution IS NOT NULL;
