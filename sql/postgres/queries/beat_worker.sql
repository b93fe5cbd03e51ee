-- beat_worker: the worker lives.
-- In:  worker, instance, lease_ms, stuck, now (NULL: the database clock)
-- Out: the worker's state; no row when the instance is not the present one.
UPDATE "BotWorkers" SET
    "StuckSlots" = @stuck,
    "LastSeenAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond'
WHERE "Id" = @worker AND "InstanceId" = @instance AND "State" <> 'stopped'
RETURNING "State";
