-- beat_worker: the worker lives.
-- In:  worker, instance, lease_ms, stuck, ended_ms (NULL: no run has ended), now (NULL: the database clock)
-- Out: the worker's state and the number of its heartbeats; no row when the instance is not the present one.
UPDATE BotWorkers SET
    Beats = Beats + 1,
    StuckSlots = @stuck,
    AvailableSince = CASE WHEN @ended_ms IS NULL THEN AvailableSince ELSE strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@ended_ms / 1000.0)) END,
    LastSeenAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    LeaseExpiresAt = strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lease_ms / 1000.0))
WHERE Id = @worker AND InstanceId = @instance AND State <> 'stopped'
RETURNING State, Beats;
