INSERT INTO BotSignInLinks (UserId, Hash, CreatedAt, ExpiresAt)
SELECT u.Id, @hash, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), DATEADD(millisecond, (CAST(@valid_ms AS BIGINT) % 1000), DATEADD(second, (CAST(@valid_ms AS BIGINT) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
FROM BotUsers u
WHERE u.Id = @user_id AND u.DisabledAt IS NULL;
