-- now: the clock that judges leases and due times.
-- In:  now (NULL: the database clock)
SELECT COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)));
