-- now: the clock that judges leases and due times, to the millisecond.
-- In:  now (NULL: the database clock)
COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
