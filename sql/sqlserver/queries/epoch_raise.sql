-- epoch_raise: begin another epoch, unless somebody has done so since the present one was read.
-- In:  epoch (the one that was read), next_epoch, timeline (NULL: leave it), reason, now (NULL: the database clock)
UPDATE BotInstallation SET
    Epoch = @next_epoch,
    Timeline = COALESCE(@timeline, Timeline),
    RaisedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    Reason = @reason
WHERE Epoch = @epoch;
