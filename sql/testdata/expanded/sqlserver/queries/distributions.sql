SELECT q.Name, q.Distribution
FROM BotQueues q
WHERE q.Distribution IS NOT NULL;
