-- history: what the database records of its history.
-- Out: the epoch; milliseconds since it was raised (-1: never); why.
SELECT "Epoch", CAST(COALESCE(EXTRACT(EPOCH FROM statement_timestamp() - "RaisedAt") * 1000, -1) AS BIGINT), COALESCE("Reason", '')
FROM "BotInstallation";
