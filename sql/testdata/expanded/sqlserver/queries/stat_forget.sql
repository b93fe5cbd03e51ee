DELETE FROM BotQueueStats
WHERE QueueName = CAST(@queue AS NVARCHAR(450));
