-- epoch_raise: start the next epoch, unless another process has done so since the current one was
-- read.
-- In:  epoch (the one that was read), next_epoch, timeline (NULL: unchanged), reason, now (NULL: the database clock)
UPDATE BotInstallation SET
    Epoch = @next_epoch,
    Timeline = COALESCE(@timeline, Timeline),
    RaisedAt = {{now}},
    Reason = @reason
WHERE Epoch = @epoch;
