-- stalled_sessions: sessions of programs with this program's name that hold locks on Botwork's
-- tables, or the assignment lock, and wait for their client inside a transaction.
-- Out: the session; a value that changes with each thing that it does; its host, program, process
--      and login; whether it holds the assignment lock.
SELECT s.session_id,
    CONCAT(CONVERT(NVARCHAR(30), s.login_time, 126), N' ', CONVERT(NVARCHAR(30), s.last_request_start_time, 126), N' ',
        CONVERT(NVARCHAR(30), s.last_request_end_time, 126)),
    COALESCE(s.host_name, N''), s.program_name, COALESCE(s.host_process_id, 0), s.login_name,
    CAST(CASE WHEN EXISTS (SELECT 1 FROM sys.dm_tran_locks l WHERE l.request_session_id = s.session_id AND l.resource_database_id = DB_ID()
        AND l.resource_type = N'APPLICATION' AND l.request_status = N'GRANT' AND l.resource_description LIKE N'%botwork.assignment%')
        THEN 1 ELSE 0 END AS BIT)
FROM sys.dm_exec_sessions s
LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
WHERE s.program_name = APP_NAME() AND s.database_id = DB_ID() AND s.session_id <> @@SPID AND s.open_transaction_count > 0
    AND (r.session_id IS NULL OR r.wait_type = N'ASYNC_NETWORK_IO')
    AND EXISTS (SELECT 1 FROM sys.dm_tran_locks l WHERE l.request_session_id = s.session_id AND l.resource_database_id = DB_ID()
        AND l.request_status = N'GRANT' AND (l.resource_type = N'APPLICATION' AND l.resource_description LIKE N'%botwork.assignment%'
            OR l.resource_type = N'OBJECT' AND l.resource_associated_entity_id IN (SELECT t.object_id FROM sys.tables t WHERE t.name LIKE N'Bot%')));
