-- now_minus: a time before now, by a number of milliseconds.
-- Parameters: ms
-- In:  now (NULL: the database clock)
strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -{{ms}} / 1000.0))
