-- queue_items: how many items a queue has, up to a bound.
-- In:  name, most
-- Out: one number
SELECT COUNT(*) FROM (SELECT TOP (@most) Id FROM BotWorkQueueItems WHERE QueueName = CAST(@name AS NVARCHAR(450))) i;
