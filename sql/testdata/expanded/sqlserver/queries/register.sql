UPDATE BotWorkers SET
    InstanceId = @instance,
    Host = @host,
    Pid = @pid,
    ProcessKey = @process,
    Version = @version,
    Capacity = @capacity,
    StuckSlots = 0,
    Gate = NULL,
    Labels = @labels,
    Channels = @channels,
    Queues = @queues,
    ReservedSlots = @reserved,
    AvailableSince = NULL,
    State = CASE WHEN DrainRequestedAt IS NULL THEN N'active' ELSE N'draining' END,
    StartedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    LastSeenAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE Name = CAST(@name AS NVARCHAR(450)) AND (
    State = N'stopped'
    OR LeaseExpiresAt IS NULL
    OR LeaseExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
    OR InstanceId = CAST(@replaces AS NVARCHAR(450)));
