INSERT INTO BotSignInLinks (UserId, Hash, CreatedAt, ExpiresAt)
SELECT u.Id, @hash, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @valid_ms / 1000.0))
FROM BotUsers u
WHERE u.Id = @user_id AND u.DisabledAt IS NULL;
