-- now_minus: a time before now, by a number of milliseconds, computed as by now_plus.
-- Parameters: ms
-- In:  now (NULL: the database clock)
DATEADD(millisecond, -({{ms}} % 1000), DATEADD(second, -({{ms}} / 1000), {{now}}))
