-- clean_links: remove sign-in links that have expired.
-- In:  limit_rows, now (NULL: the database clock)
DELETE FROM BotSignInLinks
WHERE ExpiresAt <= {{now}} AND Id IN (
    SELECT c.Id FROM BotSignInLinks c
    WHERE c.ExpiresAt <= {{now}}
    ORDER BY c.ExpiresAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
