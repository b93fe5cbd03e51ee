-- queue_robots_clear: forget what robots may do with a queue.
-- In:  name
DELETE FROM BotQueueRobots WHERE QueueName = CAST(@name AS NVARCHAR(450));
