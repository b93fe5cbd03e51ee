-- stat_forget: drop what is kept of a queue that is removed.
-- In:  queue
DELETE FROM BotQueueStats
WHERE QueueName = CAST(@queue AS NVARCHAR(450));
