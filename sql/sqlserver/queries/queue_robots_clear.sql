-- queue_robots_clear: remove the rights of robots in a queue.
-- In:  name
DELETE FROM BotQueueRobots WHERE QueueName = CAST(@name AS NVARCHAR(450));
