-- clean_links: remove sign-in links that have expired.
-- In:  limit_rows, now (NULL: the database clock)
DELETE t
FROM BotSignInLinks t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE ExpiresAt <= {{now}} AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotSignInLinks c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.ExpiresAt <= {{now}}
    ORDER BY c.ExpiresAt, c.Id);
