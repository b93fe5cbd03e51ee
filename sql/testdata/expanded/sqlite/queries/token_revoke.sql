UPDATE BotTokens SET
    RevokedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    RevokedBy = @by
WHERE Id = @id AND RevokedAt IS NULL;
