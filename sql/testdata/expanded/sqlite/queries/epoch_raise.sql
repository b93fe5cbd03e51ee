UPDATE BotInstallation SET
    Epoch = @next_epoch,
    Timeline = COALESCE(@timeline, Timeline),
    RaisedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    Reason = @reason
WHERE Epoch = @epoch;
