-- stat_forget: remove the statistics of a removed queue.
-- In:  queue
DELETE FROM BotQueueStats
WHERE QueueName = @queue;
