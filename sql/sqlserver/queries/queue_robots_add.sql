-- queue_robots_add: insert the rights of robots in a queue.
-- In:  name, rows [{RobotName, MayRead, MayWrite}]
INSERT INTO BotQueueRobots (QueueName, Robot, CanRead, CanWrite)
SELECT @name, j.RobotName, j.MayRead, j.MayWrite
FROM OPENJSON(@rows) WITH (RobotName NVARCHAR(200) '$.RobotName', MayRead BIT '$.MayRead', MayWrite BIT '$.MayWrite') j;
