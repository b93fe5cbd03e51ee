-- session_used: record that a session is used, and extend its idle time, but not beyond its end. A session
-- that has ended does not change.
-- In:  id, idle_ms, now (NULL: the database clock)
UPDATE "BotSessions" SET
    "SeenAt" = {{now}},
    "IdleUntil" = CASE WHEN {{now_plus ms=CAST(@idle_ms AS bigint)}} < "ExpiresAt" THEN {{now_plus ms=CAST(@idle_ms AS bigint)}} ELSE "ExpiresAt" END
WHERE "Id" = @id AND "IdleUntil" > {{now}};
