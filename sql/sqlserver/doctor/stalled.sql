-- stalled: sessions that hold locks on Botwork's tables, or the assignment lock, and have
-- waited for their client in the middle of a transaction for 10 seconds or more. The
-- times of the views are local ones, now is that of this session: for what began before clocks
-- were changed, the age is wrong by an hour.
-- Out: the session; its host, program, process and login; whether the program has this
-- one's name; whether it holds the assignment lock; for how many seconds it has waited.
SELECT s.session_id, COALESCE(s.host_name, N''), COALESCE(s.program_name, N''), COALESCE(s.host_process_id, 0), s.login_name,
    CAST(CASE WHEN s.program_name = APP_NAME() THEN 1 ELSE 0 END AS BIT),
    CAST(CASE WHEN EXISTS (SELECT 1 FROM sys.dm_tran_locks l WHERE l.request_session_id = s.session_id AND l.resource_database_id = DB_ID()
        AND l.resource_type = N'APPLICATION' AND l.request_status = N'GRANT' AND l.resource_description LIKE N'%botwork.assignment%')
        THEN 1 ELSE 0 END AS BIT),
    DATEDIFF(second, CASE WHEN r.session_id IS NULL THEN s.last_request_end_time ELSE s.last_request_start_time END, me.last_request_start_time)
FROM sys.dm_exec_sessions s
JOIN sys.dm_exec_sessions me ON me.session_id = @@SPID
LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
WHERE s.database_id = DB_ID() AND s.session_id <> @@SPID AND s.open_transaction_count > 0
    AND (r.session_id IS NULL OR r.wait_type = N'ASYNC_NETWORK_IO')
    AND DATEDIFF(second, CASE WHEN r.session_id IS NULL THEN s.last_request_end_time ELSE s.last_request_start_time END, me.last_request_start_time) >= 10
    AND EXISTS (SELECT 1 FROM sys.dm_tran_locks l WHERE l.request_session_id = s.session_id AND l.resource_database_id = DB_ID()
        AND l.request_status = N'GRANT' AND (l.resource_type = N'APPLICATION' AND l.resource_description LIKE N'%botwork.assignment%'
            OR l.resource_type = N'OBJECT' AND l.resource_associated_entity_id IN (SELECT t.object_id FROM sys.tables t WHERE t.name LIKE N'Bot%')))
ORDER BY s.session_id;
