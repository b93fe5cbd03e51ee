-- now: the clock that judges leases and due times, to the millisecond.
-- In:  now (NULL: the database clock)
COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
