-- workers: who has registered.
-- Out: name; host; state; pid; instance id; process key, empty for none; milliseconds since it was seen, and until its lease
-- ends (-1: it has none).
SELECT "Name", "Host", "State", "Pid", "InstanceId", COALESCE("ProcessKey", ''),
    CAST(EXTRACT(EPOCH FROM statement_timestamp() - "LastSeenAt") * 1000 AS BIGINT),
    CAST(COALESCE(EXTRACT(EPOCH FROM "LeaseExpiresAt" - statement_timestamp()) * 1000, -1) AS BIGINT)
FROM "BotWorkers";
