-- clean_keys: finished items let go of their timed keys whose time is over. Items
-- that wait or run keep theirs, so that no claim finds one of them locked here.
-- In:  limit_rows, now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    TimedKey = NULL,
    TimedUntil = NULL
WHERE State IN (2, 3) AND TimedUntil <= {{now}} AND Id IN (
    SELECT c.Id FROM BotWorkQueueItems c
    WHERE c.State IN (2, 3) AND c.TimedKey IS NOT NULL AND c.TimedUntil <= {{now}}
    ORDER BY c.TimedUntil, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
