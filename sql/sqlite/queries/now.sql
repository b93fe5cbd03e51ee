-- now: the clock that judges leases and due times.
-- In:  now (NULL: the database clock)
SELECT {{now}};
