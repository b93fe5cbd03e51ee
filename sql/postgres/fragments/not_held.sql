-- not_held: no other session holds the row: it was never locked since it was written, or the transaction
-- that locked it last is over, or this one, which may just have released the item. A person who has
-- changed it and has not committed would keep a place in each plan. Two sessions that lock a row together
-- are not recognised; lock_rows passes over it then.
-- row is the table's alias with a dot, or nothing.
-- Parameters: row
AND ({{row}}xmax = '0' OR {{row}}xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
