SELECT Epoch, Timeline, CAST(RaisedAt AS TEXT), Reason FROM BotInstallation;
