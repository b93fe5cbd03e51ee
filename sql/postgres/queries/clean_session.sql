-- clean_session: limit the time that this transaction waits for locks.
SET LOCAL lock_timeout = '1s';
