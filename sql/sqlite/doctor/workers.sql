-- workers: who has registered.
-- Out: name; host; state; pid; instance id; process key, empty for none; milliseconds since it was seen, and until its lease
-- ends (-1: it has none).
SELECT Name, Host, State, Pid, InstanceId, COALESCE(ProcessKey, ''),
    CAST((julianday('now') - julianday(LastSeenAt)) * 86400000 AS INTEGER),
    CAST(COALESCE((julianday(LeaseExpiresAt) - julianday('now')) * 86400000, -1) AS INTEGER)
FROM BotWorkers;
