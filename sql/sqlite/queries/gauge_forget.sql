-- gauge_forget: remove the samples of a removed queue from the statistics over time.
-- In:  queue
DELETE FROM BotStatisticsGauges
WHERE QueueName = @queue;
