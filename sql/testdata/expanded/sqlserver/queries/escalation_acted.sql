UPDATE BotEscalations SET
    ActedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    Items = Items + @items
WHERE Id = @rule;
