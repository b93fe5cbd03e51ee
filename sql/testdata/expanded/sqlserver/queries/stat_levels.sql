SELECT s.QueueName, s.Kind, SUM(s.Level), SUM(s.Events)
FROM BotQueueStats s
GROUP BY s.QueueName, s.Kind;
