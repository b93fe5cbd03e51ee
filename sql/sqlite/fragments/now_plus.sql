-- now_plus: a time after now, by a number of milliseconds, which must not be NULL: NULL counts as
-- 0.
-- Parameters: ms
-- In:  now (NULL: the database clock)
strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', {{ms}} / 1000.0))
