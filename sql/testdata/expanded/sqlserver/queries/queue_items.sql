SELECT COUNT(*) FROM (SELECT TOP (@most) Id FROM BotWorkQueueItems WHERE QueueName = CAST(@name AS NVARCHAR(450))) i;
