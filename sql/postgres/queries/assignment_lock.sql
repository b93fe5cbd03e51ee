-- assignment_lock: one assignment pass at a time in the whole cluster; ends
-- with the transaction. The number is this lock's name in the database. Then the pass waits for a row
-- that another session holds for a second at most.
SELECT pg_advisory_xact_lock(4902310277), set_config('lock_timeout', '1000', TRUE);
