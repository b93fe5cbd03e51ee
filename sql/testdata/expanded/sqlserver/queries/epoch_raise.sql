UPDATE BotInstallation SET
    Epoch = @next_epoch,
    Timeline = COALESCE(@timeline, Timeline),
    RaisedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    Reason = @reason
WHERE Epoch = @epoch;
