-- may_start: the conditions under which an item may start now, beside its state: it is due,
-- neither deleted, overdue nor expired, and its queue is open to workers. row is the table's alias
-- with a dot, or nothing.
-- In:  now (NULL: the database clock)
-- Parameters: row
AND {{row}}AvailableAt <= {{now}}
-- include: not_over row={{row}}
