SELECT s.Id, s.CreatedAt, s.SeenAt, s.IdleUntil, s.ExpiresAt, s.Address, s.UserAgent, s.SignedInBy
FROM BotSessions s
WHERE s.UserId = @user_id AND s.IdleUntil > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
ORDER BY s.Id;
