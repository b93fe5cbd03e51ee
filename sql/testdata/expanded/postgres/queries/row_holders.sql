SELECT i."Id", k.pid, COALESCE(host(a.client_addr), ''), COALESCE(a.application_name, ''), COALESCE(a.usename, ''),
    COALESCE(CAST(EXTRACT(EPOCH FROM clock_timestamp() - a.xact_start) * 1000 AS bigint), 0),
    CASE WHEN a.query <> '<insufficient privilege>' THEN substr(a.query, 1, 1000) END
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint)
JOIN "BotWorkQueueItems" i ON i."Id" = j."ItemId"
JOIN pg_locks k ON k.locktype = 'transactionid' AND k.granted AND k.transactionid = i.xmax
LEFT JOIN pg_stat_activity a ON a.pid = k.pid
WHERE i.xmax <> '0' AND k.pid <> pg_backend_pid()
ORDER BY i."Id", k.pid;
