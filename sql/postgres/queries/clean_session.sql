-- clean_session: in this transaction, wait for nobody for long.
SET LOCAL lock_timeout = '1s';
