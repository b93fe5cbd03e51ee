DELETE FROM BotSignInLinks
WHERE Hash = @hash AND ExpiresAt > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
  AND EXISTS (SELECT 1 FROM BotUsers u WHERE u.Id = BotSignInLinks.UserId AND u.DisabledAt IS NULL)
RETURNING UserId;
