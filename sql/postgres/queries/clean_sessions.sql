-- clean_sessions: remove sessions that have ended.
-- In:  limit_rows, now (NULL: the database clock)
DELETE FROM "BotSessions"
WHERE "IdleUntil" <= {{now}} AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotSessions" c
    WHERE c."IdleUntil" <= {{now}}
    ORDER BY c."IdleUntil", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
