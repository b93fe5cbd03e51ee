-- timeline: the server's name for the current timeline of the database. A server without timelines,
-- or a login without the permission, returns an error, NULL or no row. PostgreSQL increments it
-- with each promotion and each point-in-time recovery.
SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END;
