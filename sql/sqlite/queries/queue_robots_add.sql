-- queue_robots_add: insert the rights of robots in a queue.
-- In:  name, rows [{RobotName, MayRead, MayWrite}]
INSERT INTO BotQueueRobots (QueueName, Robot, CanRead, CanWrite)
SELECT @name, json_extract(value, '$.RobotName'), json_extract(value, '$.MayRead'), json_extract(value, '$.MayWrite')
FROM jsonb_each(@rows);
