SELECT held.ItemId, s.session_id, COALESCE(s.host_name, N''), COALESCE(s.program_name, N''), s.login_name,
    CAST(DATEDIFF(second, (SELECT MIN(n.transaction_begin_time) FROM sys.dm_tran_session_transactions x
        JOIN sys.dm_tran_active_transactions n ON n.transaction_id = x.transaction_id WHERE x.session_id = s.session_id), me.last_request_start_time) AS BIGINT) * 1000,
    LEFT(q.text, 1000)
FROM (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j
    WHERE NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK) WHERE i.Id = j.ItemId)) held
CROSS JOIN sys.dm_exec_sessions s
JOIN sys.dm_exec_sessions me ON me.session_id = @@SPID
LEFT JOIN sys.dm_exec_connections c ON c.session_id = s.session_id
OUTER APPLY sys.dm_exec_sql_text(c.most_recent_sql_handle) q
WHERE s.session_id <> @@SPID AND s.open_transaction_count > 0
    AND EXISTS (SELECT 1 FROM sys.dm_tran_locks l JOIN sys.partitions p ON p.hobt_id = l.resource_associated_entity_id
        WHERE l.request_session_id = s.session_id AND l.resource_database_id = DB_ID() AND l.request_status = N'GRANT'
            AND l.resource_type IN (N'KEY', N'RID', N'PAGE') AND l.request_mode IN (N'U', N'X') AND p.object_id = OBJECT_ID(N'BotWorkQueueItems'))
ORDER BY held.ItemId, s.session_id;
