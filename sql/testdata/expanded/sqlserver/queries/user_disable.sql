UPDATE BotUsers SET
    DisabledAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    Revision = Revision + 1
WHERE Id = @id AND DisabledAt IS NULL;
