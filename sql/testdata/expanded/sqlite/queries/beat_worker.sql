UPDATE BotWorkers SET
    Beats = Beats + 1,
    StuckSlots = @stuck,
    Gate = @gate,
    AvailableSince = CASE WHEN @ended_ms IS NULL THEN AvailableSince ELSE strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@ended_ms / 1000.0)) END,
    LastSeenAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    LeaseExpiresAt = strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lease_ms / 1000.0))
WHERE Id = @worker AND InstanceId = @instance AND State <> 'stopped'
RETURNING State, Beats, Overrides;
