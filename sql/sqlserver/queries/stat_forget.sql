-- stat_forget: remove the statistics of a removed queue.
-- In:  queue
DELETE FROM BotQueueStats
WHERE QueueName = CAST(@queue AS NVARCHAR(450));
