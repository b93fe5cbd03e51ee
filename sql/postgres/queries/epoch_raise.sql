-- epoch_raise: begin another epoch, unless somebody has done so since the present one was read.
-- In:  epoch (the one that was read), next_epoch, timeline (NULL: leave it), reason, now (NULL: the database clock)
UPDATE "BotInstallation" SET
    "Epoch" = @next_epoch,
    "Timeline" = COALESCE(CAST(@timeline AS varchar), "Timeline"),
    "RaisedAt" = {{now}},
    "Reason" = @reason
WHERE "Epoch" = @epoch;
