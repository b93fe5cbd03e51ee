-- installation: what the database records of its history.
-- Out: the epoch, the timeline, when the epoch was last raised and why (NULL: never).
SELECT "Epoch", "Timeline", "RaisedAt", "Reason" FROM "BotInstallation";
