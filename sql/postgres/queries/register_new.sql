-- register_new: insert the first worker with this name.
-- In:  name, instance, host, pid, process, version, capacity, labels, channels, queues, reserved, now (NULL: the database clock)
INSERT INTO "BotWorkers" ("Name", "InstanceId", "Host", "Pid", "ProcessKey", "Version", "Capacity", "Labels", "Channels", "Queues", "ReservedSlots", "State", "StartedAt", "LastSeenAt")
SELECT CAST(@name AS varchar), CAST(@instance AS varchar), CAST(@host AS varchar), CAST(@pid AS int), CAST(@process AS varchar), CAST(@version AS varchar), CAST(@capacity AS int), CAST(@labels AS varchar), CAST(@channels AS varchar), CAST(@queues AS varchar), CAST(@reserved AS int), 'active', {{now}}, {{now}}
WHERE NOT EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Name" = @name);
