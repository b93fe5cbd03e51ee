-- timeline: the server's name of the present history of the database. A server that does not
-- have it, or a login that may not see it, answers with an error, with NULL or with no row.
-- SQL Server draws a new one when a restore or a forced failover begins another history. It is
-- visible to the owner of the database and to logins with VIEW ANY DATABASE.
SELECT CAST(r.recovery_fork_guid AS NVARCHAR(36)) FROM sys.database_recovery_status r WHERE r.database_id = DB_ID();
