SELECT s.session_id, COALESCE(s.host_name, N''), COALESCE(s.program_name, N''), s.login_name, CAST(n.transaction_id AS NVARCHAR(20)),
    CAST(DATEDIFF(second, n.transaction_begin_time, me.last_request_start_time) AS BIGINT) * 1000, LEFT(q.text, 1000)
FROM sys.dm_exec_sessions s
JOIN sys.dm_exec_sessions me ON me.session_id = @@SPID
JOIN sys.dm_tran_session_transactions x ON x.session_id = s.session_id
JOIN sys.dm_tran_active_transactions n ON n.transaction_id = x.transaction_id
LEFT JOIN sys.dm_exec_connections c ON c.session_id = s.session_id
OUTER APPLY sys.dm_exec_sql_text(c.most_recent_sql_handle) q
WHERE s.session_id <> @@SPID
    AND NOT EXISTS (SELECT 1 FROM sys.dm_exec_requests r WHERE r.session_id = s.session_id AND r.blocking_session_id <> 0)
    AND EXISTS (SELECT 1 FROM sys.dm_tran_locks l
        WHERE l.request_session_id = s.session_id AND l.resource_database_id = DB_ID() AND l.request_status = N'GRANT'
            AND l.resource_type = N'OBJECT' AND l.resource_associated_entity_id = OBJECT_ID(N'BotWorkQueueItems')
            AND l.request_mode IN (N'IX', N'SIX', N'UIX', N'IU', N'U', N'S', N'X', N'Sch-M'))
ORDER BY s.session_id;
