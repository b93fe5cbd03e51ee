DELETE FROM BotStatisticsDeltas
WHERE QueueName = CAST(@queue AS NVARCHAR(450));
