-- now_minus: a time before now, by a number of milliseconds (bigint).
-- Parameters: ms
-- In:  now (NULL: the database clock)
{{now}} - {{ms}} * INTERVAL '1 millisecond'
