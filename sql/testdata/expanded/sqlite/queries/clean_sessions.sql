DELETE FROM BotSessions
WHERE IdleUntil <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) AND Id IN (
    SELECT c.Id FROM BotSessions c
    WHERE c.IdleUntil <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
    ORDER BY c.IdleUntil, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
