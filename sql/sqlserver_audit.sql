-- Switch on the audit of SQL Server for items: it records each INSERT, UPDATE and DELETE of
-- BotWorkQueueItems that is not made by the workers, with its login and its text. Changes by hand
-- are in no other log. A database administrator runs this once with sqlcmd or Management Studio
-- (it needs ALTER ANY SERVER AUDIT and, in the database, ALTER ANY DATABASE AUDIT).
--
-- Before that, change the folder, which must exist and which the service of SQL Server must be able
-- to write, the login of the workers, and the name of the database. Without the condition on the
-- login, every claim and every end of a run is recorded as well.
USE master;
GO
CREATE SERVER AUDIT BotworkItems
    TO FILE (FILEPATH = N'D:\SQLAudit\', MAXSIZE = 100 MB, MAX_ROLLOVER_FILES = 50)
    WITH (QUEUE_DELAY = 1000, ON_FAILURE = CONTINUE)
    WHERE server_principal_name <> N'botwork_workers';
GO
ALTER SERVER AUDIT BotworkItems WITH (STATE = ON);
GO
USE botwork;
GO
CREATE DATABASE AUDIT SPECIFICATION BotworkItems
    FOR SERVER AUDIT BotworkItems
    ADD (INSERT, UPDATE, DELETE ON OBJECT::dbo.BotWorkQueueItems BY public)
    WITH (STATE = ON);
GO

-- What was recorded, the newest first:
SELECT event_time, server_principal_name, application_name, client_ip, statement
FROM sys.fn_get_audit_file(N'D:\SQLAudit\*.sqlaudit', DEFAULT, DEFAULT)
WHERE object_name = N'BotWorkQueueItems'
ORDER BY event_time DESC;
GO
