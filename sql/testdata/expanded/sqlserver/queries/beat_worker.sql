UPDATE t SET
    Beats = Beats + 1,
    StuckSlots = @stuck,
    Gate = @gate,
    AvailableSince = CASE WHEN CAST(@ended_ms AS bigint) IS NULL THEN AvailableSince ELSE DATEADD(millisecond, -(CAST(@ended_ms AS bigint) % 1000), DATEADD(second, -(CAST(@ended_ms AS bigint) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) END,
    LastSeenAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    LeaseExpiresAt = DATEADD(millisecond, (@lease_ms % 1000), DATEADD(second, (@lease_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
OUTPUT inserted.State, inserted.Beats, inserted.Overrides
FROM BotWorkers t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.Id = @worker AND InstanceId = CAST(@instance AS NVARCHAR(450)) AND State <> N'stopped';
