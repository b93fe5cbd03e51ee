DELETE FROM "BotQueueRobots" WHERE "QueueName" = @name;
