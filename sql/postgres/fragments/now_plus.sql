-- now_plus: a time after now, by a number of milliseconds (bigint); NULL if that is NULL.
-- Parameters: ms
-- In:  now (NULL: the database clock)
{{now}} + {{ms}} * INTERVAL '1 millisecond'
