-- sessions_end: end the sessions of a user that have not ended.
-- In:  user_id, now (NULL: the database clock)
DELETE FROM BotSessions
WHERE UserId = @user_id AND IdleUntil > {{now}};
