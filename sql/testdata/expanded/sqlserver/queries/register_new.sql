INSERT INTO BotWorkers (Name, InstanceId, Host, Pid, ProcessKey, Version, Capacity, Labels, Channels, Queues, ReservedSlots, State, StartedAt, LastSeenAt)
SELECT @name, @instance, @host, @pid, @process, @version, @capacity, @labels, @channels, @queues, @reserved, N'active', COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Name = CAST(@name AS NVARCHAR(450)));
