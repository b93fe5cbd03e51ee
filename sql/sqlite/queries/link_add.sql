-- link_add: insert a sign-in link of a user, unless the user is disabled.
-- In:  user_id, hash, valid_ms, now (NULL: the database clock)
INSERT INTO BotSignInLinks (UserId, Hash, CreatedAt, ExpiresAt)
SELECT u.Id, @hash, {{now}}, {{now_plus ms=@valid_ms}}
FROM BotUsers u
WHERE u.Id = @user_id AND u.DisabledAt IS NULL;
