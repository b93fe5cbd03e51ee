INSERT INTO BotQueueRobots (QueueName, Robot, CanRead, CanWrite)
SELECT @name, j.RobotName, j.MayRead, j.MayWrite
FROM OPENJSON(@rows) WITH (RobotName NVARCHAR(200) '$.RobotName', MayRead BIT '$.MayRead', MayWrite BIT '$.MayWrite') j;
