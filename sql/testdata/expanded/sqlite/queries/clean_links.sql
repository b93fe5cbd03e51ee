DELETE FROM BotSignInLinks
WHERE ExpiresAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) AND Id IN (
    SELECT c.Id FROM BotSignInLinks c
    WHERE c.ExpiresAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
    ORDER BY c.ExpiresAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
