-- workers: who has registered.
-- Out: name; host; state; pid; milliseconds since it was seen, and until its lease
-- ends (-1: it has none).
SELECT Name, Host, State, Pid,
    CAST((julianday('now') - julianday(LastSeenAt)) * 86400000 AS INTEGER),
    CAST(COALESCE((julianday(LeaseExpiresAt) - julianday('now')) * 86400000, -1) AS INTEGER)
FROM BotWorkers;
