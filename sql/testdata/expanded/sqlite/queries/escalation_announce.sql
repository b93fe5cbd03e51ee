UPDATE BotEscalations SET
    ActedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Id = @rule AND ActiveSince IS NOT NULL AND (ActedAt IS NULL OR ActedAt < ActiveSince);
