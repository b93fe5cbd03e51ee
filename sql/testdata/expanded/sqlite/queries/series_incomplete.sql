INSERT INTO BotStatisticsDeltas (At, QueueName, Event)
SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), q.Name, 'incomplete'
FROM BotQueues q;
