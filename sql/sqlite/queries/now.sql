-- now: the clock for leases and due times.
-- In:  now (NULL: the database clock)
SELECT {{now}};
