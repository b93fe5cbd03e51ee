DELETE FROM "BotQueueStats"
WHERE "QueueName" = @queue;
