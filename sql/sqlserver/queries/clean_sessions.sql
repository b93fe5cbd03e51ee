-- clean_sessions: remove sessions that have ended.
-- In:  limit_rows, now (NULL: the database clock)
DELETE t
FROM BotSessions t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE IdleUntil <= {{now}} AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotSessions c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.IdleUntil <= {{now}}
    ORDER BY c.IdleUntil, c.Id);
