-- clean_keys: free the expired timed keys of finished items. Waiting and running items keep theirs,
-- so that this never locks an item that a claim needs.
-- In:  limit_rows, now (NULL: the database clock)
UPDATE t SET
    TimedKey = NULL,
    TimedUntil = NULL
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State IN (2, 3) AND TimedUntil <= {{now}} AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.State IN (2, 3) AND c.TimedKey IS NOT NULL AND c.TimedUntil <= {{now}}
    ORDER BY c.TimedUntil, c.Id);
