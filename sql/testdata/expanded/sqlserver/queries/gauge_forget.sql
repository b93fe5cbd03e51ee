DELETE FROM BotStatisticsGauges
WHERE QueueName = CAST(@queue AS NVARCHAR(450));
