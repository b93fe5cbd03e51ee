-- now: the clock that judges leases and due times.
-- In:  now (NULL: the database clock)
SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'));
