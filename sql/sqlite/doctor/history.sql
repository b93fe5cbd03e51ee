-- history: what the database records of its history.
-- Out: the epoch; milliseconds since it was raised (-1: never); why.
SELECT Epoch, COALESCE(CAST((julianday('now') - julianday(RaisedAt)) * 86400000 AS INTEGER), -1), COALESCE(Reason, '')
FROM BotInstallation;
