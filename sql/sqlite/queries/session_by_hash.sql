-- session_by_hash: a session that has not ended, with its user, unless the user is disabled.
-- In:  hash, now (NULL: the database clock)
-- Out: the columns of the session and of the user.
SELECT s.Id, s.CreatedAt, s.SeenAt, s.IdleUntil, s.ExpiresAt, s.Address, s.UserAgent, s.SignedInBy,
    u.Id, u.Name, u.Role, u.Queues, u.PasswordHash, u.Subject, u.CreatedAt, u.CreatedBy, u.SignedInAt, u.DisabledAt,
    u.Failures, u.LockedUntil
FROM BotSessions s
JOIN BotUsers u ON u.Id = s.UserId
WHERE s.Hash = @hash AND s.IdleUntil > {{now}} AND u.DisabledAt IS NULL;
