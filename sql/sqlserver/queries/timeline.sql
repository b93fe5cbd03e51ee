-- timeline: the server's name for the current timeline of the database. A server without timelines,
-- or a login without the permission, returns an error, NULL or no row. SQL Server creates a new one
-- when a restore or a forced failover starts another timeline. It is visible to the owner of the
-- database and to logins with VIEW ANY DATABASE.
SELECT CAST(r.recovery_fork_guid AS NVARCHAR(36)) FROM sys.database_recovery_status r WHERE r.database_id = DB_ID();
