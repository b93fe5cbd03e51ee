-- queue_robots_add: insert the rights of robots in a queue.
-- In:  name, rows [{RobotName, MayRead, MayWrite}]
INSERT INTO "BotQueueRobots" ("QueueName", "Robot", "CanRead", "CanWrite")
SELECT CAST(@name AS varchar), j."RobotName", j."MayRead", j."MayWrite"
FROM json_to_recordset(CAST(@rows AS json)) AS j("RobotName" text, "MayRead" boolean, "MayWrite" boolean);
