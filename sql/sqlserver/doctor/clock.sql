-- clock: the clock that judges leases and due times.
-- Out: the time, in UTC.
SELECT CAST(SYSUTCDATETIME() AS DATETIME2(3));
