-- series_forget_new: remove what is not yet added to the sums of a removed queue from the statistics over time.
-- In:  queue
DELETE FROM BotStatisticsDeltas
WHERE QueueName = CAST(@queue AS NVARCHAR(450));
