DELETE FROM "BotStatistics"
WHERE "QueueName" = @queue;
