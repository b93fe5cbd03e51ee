INSERT INTO BotStatisticsDeltas (At, QueueName, Event)
SELECT COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), q.Name, N'incomplete'
FROM BotQueues q;
