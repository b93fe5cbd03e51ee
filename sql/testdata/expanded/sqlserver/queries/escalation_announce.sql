UPDATE BotEscalations SET
    ActedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE Id = @rule AND ActiveSince IS NOT NULL AND (ActedAt IS NULL OR ActedAt < ActiveSince);
