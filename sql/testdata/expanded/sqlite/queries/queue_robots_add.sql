INSERT INTO BotQueueRobots (QueueName, Robot, CanRead, CanWrite)
SELECT @name, json_extract(value, '$.RobotName'), json_extract(value, '$.MayRead'), json_extract(value, '$.MayWrite')
FROM jsonb_each(@rows);
