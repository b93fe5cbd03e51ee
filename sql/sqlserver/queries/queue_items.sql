-- queue_items: count the items of a queue, up to a limit.
-- In:  name, most
-- Out: one number
SELECT COUNT(*) FROM (SELECT TOP (@most) Id FROM BotWorkQueueItems WHERE QueueName = CAST(@name AS NVARCHAR(450))) i;
