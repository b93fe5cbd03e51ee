-- workers: who has registered.
-- Out: name; host; state; pid; instance id; process key, empty for none; milliseconds since it was seen, and until its lease
-- ends (-1: it has none). In whole seconds: milliseconds of a month do not fit.
SELECT w.Name, w.Host, w.State, w.Pid, w.InstanceId, COALESCE(w.ProcessKey, N''),
    CAST(DATEDIFF(SECOND, w.LastSeenAt, SYSUTCDATETIME()) AS BIGINT) * 1000,
    COALESCE(CAST(DATEDIFF(SECOND, SYSUTCDATETIME(), w.LeaseExpiresAt) AS BIGINT) * 1000, -1)
FROM BotWorkers w;
