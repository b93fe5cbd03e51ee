-- server: what the server is.
-- Out: version; edition and compatibility level, 0 here; whether nothing can be written:
-- on a standby, or where the login's transactions are read-only.
SELECT current_setting('server_version'), 0, 0,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on';
