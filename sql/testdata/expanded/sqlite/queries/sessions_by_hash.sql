SELECT s.Hash, s.Id, s.CreatedAt, s.SeenAt, s.IdleUntil, s.ExpiresAt, s.Address, s.UserAgent, s.SignedInBy,
    u.Id, u.Name, u.Role, u.Queues, u.PasswordHash, u.Subject, u.CreatedAt, u.CreatedBy, u.SignedInAt, u.DisabledAt,
    u.Failures, u.LockedUntil
FROM BotSessions s
JOIN BotUsers u ON u.Id = s.UserId
WHERE s.Hash IN (SELECT json_extract(value, '$.Hash') FROM jsonb_each(@rows)) AND s.IdleUntil > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) AND u.DisabledAt IS NULL;
