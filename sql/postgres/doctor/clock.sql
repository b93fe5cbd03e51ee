-- clock: the clock that judges leases and due times.
-- Out: the time.
SELECT clock_timestamp();
