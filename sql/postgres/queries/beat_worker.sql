-- beat_worker: the worker lives.
-- In:  worker, instance, lease_ms, stuck, ended_ms (NULL: no run has ended), now (NULL: the database clock)
-- Out: the worker's state and the number of its heartbeats; no row when the instance is not the present one.
UPDATE "BotWorkers" SET
    "Beats" = "Beats" + 1,
    "StuckSlots" = @stuck,
    "AvailableSince" = CASE WHEN CAST(@ended_ms AS bigint) IS NULL THEN "AvailableSince" ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@ended_ms AS bigint) * INTERVAL '1 millisecond' END,
    "LastSeenAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond'
WHERE "Id" = @worker AND "InstanceId" = @instance AND "State" <> 'stopped'
RETURNING "State", "Beats";
