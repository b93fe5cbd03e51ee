-- series_forget: remove the sums of a removed queue from the statistics over time.
-- In:  queue
DELETE FROM BotStatistics
WHERE QueueName = CAST(@queue AS NVARCHAR(450));
