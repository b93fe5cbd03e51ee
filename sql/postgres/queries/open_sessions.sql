-- open_sessions: the sessions that hold rows of items, or the table, in an open transaction, without
-- those that wait for others.
-- Out: session, client (empty: a local one), program, login, the transaction, for how many milliseconds it has been open
--      (NULL: unknown), the session's latest statement (NULL: unknown). A login without pg_read_all_stats sees the
--      last two of its own sessions only.
SELECT l.pid, COALESCE(host(a.client_addr), ''), COALESCE(a.application_name, ''), COALESCE(a.usename, ''), l.virtualtransaction,
    CAST(EXTRACT(EPOCH FROM clock_timestamp() - a.xact_start) * 1000 AS bigint),
    CASE WHEN a.query <> '<insufficient privilege>' THEN substr(a.query, 1, 1000) END
FROM pg_locks l
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.relation = to_regclass('"BotWorkQueueItems"') AND l.granted AND l.pid <> pg_backend_pid()
  AND pg_blocking_pids(l.pid) = '{}'
  AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
  AND l.mode IN ('RowShareLock', 'RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
GROUP BY l.pid, a.client_addr, a.application_name, a.usename, l.virtualtransaction, a.xact_start, a.query
ORDER BY l.pid;
