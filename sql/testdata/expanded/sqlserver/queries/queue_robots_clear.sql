DELETE FROM BotQueueRobots WHERE QueueName = CAST(@name AS NVARCHAR(450));
