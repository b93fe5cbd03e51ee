SELECT s.Id, s.CreatedAt, s.SeenAt, s.IdleUntil, s.ExpiresAt, s.Address, s.UserAgent, s.SignedInBy
FROM BotSessions s
WHERE s.UserId = @user_id AND s.IdleUntil > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
ORDER BY s.Id;
