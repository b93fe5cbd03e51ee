UPDATE BotEscalations SET
    ActedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    Items = Items + @items
WHERE Id = @rule;
