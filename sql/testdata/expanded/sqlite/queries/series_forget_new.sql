DELETE FROM BotStatisticsDeltas
WHERE QueueName = @queue;
