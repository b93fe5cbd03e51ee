-- beat_worker: record a heartbeat of a worker.
-- In:  worker, instance, lease_ms, stuck, gate (NULL: it takes items), ended_ms (NULL: no run has ended), now (NULL: the database clock)
-- Out: the worker's state, the number of its heartbeats, what a person set for it; no row if the
--      instance is not the current one, or if another session holds the row: see worker_current.
UPDATE "BotWorkers" SET
    "Beats" = "Beats" + 1,
    "StuckSlots" = @stuck,
    "Gate" = @gate,
    "AvailableSince" = CASE WHEN CAST(@ended_ms AS bigint) IS NULL THEN "AvailableSince" ELSE {{now_minus ms=CAST(@ended_ms AS bigint)}} END,
    "LastSeenAt" = {{now}},
    "LeaseExpiresAt" = {{now_plus ms=CAST(@lease_ms AS bigint)}}
WHERE "Id" = ANY (ARRAY(SELECT w."Id" FROM "BotWorkers" w WHERE w."Id" = @worker FOR NO KEY UPDATE SKIP LOCKED)) AND "InstanceId" = @instance AND "State" <> 'stopped'
RETURNING "State", "Beats", "Overrides";
