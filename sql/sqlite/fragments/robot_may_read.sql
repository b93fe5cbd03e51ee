-- robot_may_read: the robot may read the queue of the row q of BotQueues.
-- Parameters: robot
AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
    WHERE r.QueueName = q.Name AND r.Robot = {{robot}} AND r.CanRead = 1))
