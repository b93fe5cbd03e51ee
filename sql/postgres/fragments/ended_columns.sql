-- ended_columns: the columns of an item that a user has ended.
-- In:  reason (NULL: none was given), now (NULL: the database clock)
"State" = 3,
"ErrorKind" = 'cancelled',
"Error" = CAST(@reason AS text),
"FinishedAt" = {{now}},
"LeaseExpiresAt" = NULL,
"RetainUntil" = NULL
