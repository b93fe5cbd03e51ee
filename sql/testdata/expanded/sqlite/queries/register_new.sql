INSERT INTO BotWorkers (Name, InstanceId, Host, Pid, ProcessKey, Version, Capacity, Labels, Channels, Queues, ReservedSlots, State, StartedAt, LastSeenAt)
SELECT @name, @instance, @host, @pid, @process, @version, @capacity, @labels, @channels, @queues, @reserved, 'active', COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Name = @name);
