-- sessions_by_hash: the sessions with these hashes that have not ended, with their users, unless a user is disabled.
-- In:  rows [{Hash}], now (NULL: the database clock)
-- Out: the hash, the columns of the session and of the user.
SELECT s.Hash, s.Id, s.CreatedAt, s.SeenAt, s.IdleUntil, s.ExpiresAt, s.Address, s.UserAgent, s.SignedInBy,
    u.Id, u.Name, u.Role, u.Queues, u.PasswordHash, u.Subject, u.CreatedAt, u.CreatedBy, u.SignedInAt, u.DisabledAt,
    u.Failures, u.LockedUntil
FROM BotSessions s
JOIN BotUsers u ON u.Id = s.UserId
WHERE s.Hash IN (SELECT json_extract(value, '$.Hash') FROM jsonb_each(@rows)) AND s.IdleUntil > {{now}} AND u.DisabledAt IS NULL;
