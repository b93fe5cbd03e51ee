-- now: the clock that judges leases and due times, to the millisecond.
-- In:  now (NULL: the database clock)
CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
