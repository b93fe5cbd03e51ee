UPDATE BotTokens SET LastUsedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Id IN (SELECT value FROM json_each(@rows));
