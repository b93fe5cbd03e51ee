DELETE FROM "BotStatisticsGauges"
WHERE "QueueName" = @queue;
