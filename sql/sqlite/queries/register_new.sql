-- register_new: insert the first worker with this name.
-- In:  name, instance, host, pid, process, version, capacity, labels, channels, queues, reserved, now (NULL: the database clock)
INSERT INTO BotWorkers (Name, InstanceId, Host, Pid, ProcessKey, Version, Capacity, Labels, Channels, Queues, ReservedSlots, State, StartedAt, LastSeenAt)
SELECT @name, @instance, @host, @pid, @process, @version, @capacity, @labels, @channels, @queues, @reserved, 'active', {{now}}, {{now}}
WHERE NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Name = @name);
