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
    State = CASE WHEN DrainRequestedAt IS NULL THEN 'active' ELSE 'draining' END,
    StartedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    LastSeenAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Name = @name AND (
    State = 'stopped'
    OR LeaseExpiresAt IS NULL
    OR LeaseExpiresAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
    OR InstanceId = @replaces);
