DELETE FROM BotStatistics
WHERE QueueName = CAST(@queue AS NVARCHAR(450));
