SELECT Epoch, Timeline, RaisedAt, Reason FROM BotInstallation;
