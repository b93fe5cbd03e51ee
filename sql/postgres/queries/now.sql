-- now: the clock that judges leases and due times.
-- In:  now (NULL: the database clock)
SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3));
