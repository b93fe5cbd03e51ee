SELECT CAST(r.recovery_fork_guid AS NVARCHAR(36)) FROM sys.database_recovery_status r WHERE r.database_id = DB_ID();
