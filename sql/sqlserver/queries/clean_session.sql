-- clean_session: limit the time that this transaction waits for locks, and make it the victim of a
-- deadlock. The driver resets both when the connection is used again.
SET DEADLOCK_PRIORITY LOW;
SET LOCK_TIMEOUT 1000;
