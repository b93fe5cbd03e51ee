-- may_start: the conditions under which an item may start now, beside its state: it is due,
-- neither deleted, overdue nor expired, and its queue is open to workers. row is the table's alias
-- with a dot, or nothing.
-- In:  now (NULL: the database clock)
-- Parameters: row
AND {{row}}"AvailableAt" <= {{now}}
AND {{row}}"DeletedAt" IS NULL
AND ({{row}}"DeadlineAt" IS NULL OR {{row}}"DeadlineAt" >= {{now}})
AND ({{row}}"ExpiresAt" IS NULL OR {{row}}"ExpiresAt" >= {{now}})
AND {{row}}"QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
