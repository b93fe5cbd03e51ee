-- assignment_lock: one assignment pass at a time in the whole cluster; ends
-- with the transaction. The number is this lock's name in the database.
SELECT pg_advisory_xact_lock(4902310277);
