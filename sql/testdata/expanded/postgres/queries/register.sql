UPDATE "BotWorkers" SET
    "InstanceId" = CAST(@instance AS varchar),
    "Host" = CAST(@host AS varchar),
    "Pid" = @pid,
    "ProcessKey" = CAST(@process AS varchar),
    "Version" = CAST(@version AS varchar),
    "Capacity" = @capacity,
    "StuckSlots" = 0,
    "Gate" = NULL,
    "Labels" = CAST(@labels AS varchar),
    "Channels" = CAST(@channels AS varchar),
    "Queues" = CAST(@queues AS varchar),
    "ReservedSlots" = @reserved,
    "AvailableSince" = NULL,
    "State" = CASE WHEN "DrainRequestedAt" IS NULL THEN 'active' ELSE 'draining' END,
    "StartedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LastSeenAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Name" = @name AND (
    "State" = 'stopped'
    OR "LeaseExpiresAt" IS NULL
    OR "LeaseExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    OR "InstanceId" = @replaces);
