UPDATE BotTokens SET
    RevokedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    RevokedBy = @by
WHERE Id = @id AND RevokedAt IS NULL;
