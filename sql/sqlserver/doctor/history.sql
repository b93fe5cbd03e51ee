-- history: what the database records of its history.
-- Out: the epoch; milliseconds since it was raised (-1: never); why.
SELECT Epoch, COALESCE(DATEDIFF_BIG(millisecond, RaisedAt, SYSUTCDATETIME()), -1), COALESCE(Reason, N'')
FROM BotInstallation;
