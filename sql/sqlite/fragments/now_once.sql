-- now_once: now, in a form that SQLite computes once for the whole statement. Use it where a
-- condition compares each row; now itself is right in a list of columns.
-- In:  now (NULL: the database clock)
(SELECT {{now}})
