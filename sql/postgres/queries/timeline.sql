-- timeline: the server's name of the present history of the database. A server that does not
-- have it, or a login that may not see it, answers with an error, with NULL or with no row.
-- PostgreSQL counts one up at each promotion and each recovery to a point in time.
SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END;
