-- link_use: remove a sign-in link that is valid. It succeeds once.
-- In:  hash, now (NULL: the database clock)
-- Out: the user's id; no row if the link is not valid or the user is disabled.
DELETE FROM BotSignInLinks
WHERE Hash = @hash AND ExpiresAt > {{now}}
  AND EXISTS (SELECT 1 FROM BotUsers u WHERE u.Id = BotSignInLinks.UserId AND u.DisabledAt IS NULL)
RETURNING UserId;
