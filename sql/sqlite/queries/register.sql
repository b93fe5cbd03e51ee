-- register: take over a worker's name for a new instance. A live process keeps its name. A
-- requested drain stays in force, as do the overrides of the settings.
-- In:  name, instance, host, pid, process, version, capacity, labels, channels, queues, reserved, replaces, now (NULL: the database clock)
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
    StartedAt = {{now}},
    LastSeenAt = {{now}}
WHERE Name = @name AND (
    State = 'stopped'
    OR LeaseExpiresAt IS NULL
    OR LeaseExpiresAt < {{now}}
    OR InstanceId = @replaces);
