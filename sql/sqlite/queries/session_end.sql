-- session_end: end a session that has not ended.
-- In:  id, now (NULL: the database clock)
DELETE FROM BotSessions
WHERE Id = @id AND IdleUntil > {{now}};
