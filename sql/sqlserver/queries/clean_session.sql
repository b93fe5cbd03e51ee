-- clean_session: wait for nobody for long, and be the one that a deadlock ends. The
-- driver sets both back when the connection is used again.
SET DEADLOCK_PRIORITY LOW;
SET LOCK_TIMEOUT 1000;
