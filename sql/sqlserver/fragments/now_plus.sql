-- now_plus: a time after now, by a number of milliseconds; NULL if that is NULL. DATEADD takes no
-- more than an INT, about 24 days in milliseconds, hence the seconds and the rest.
-- Parameters: ms
-- In:  now (NULL: the database clock)
DATEADD(millisecond, ({{ms}} % 1000), DATEADD(second, ({{ms}} / 1000), {{now}}))
