-- sessions_of: the sessions of a user that have not ended, in the order of their ids.
-- In:  user_id, now (NULL: the database clock)
SELECT s.Id, s.CreatedAt, s.SeenAt, s.IdleUntil, s.ExpiresAt, s.Address, s.UserAgent, s.SignedInBy
FROM BotSessions s
WHERE s.UserId = @user_id AND s.IdleUntil > {{now}}
ORDER BY s.Id;
