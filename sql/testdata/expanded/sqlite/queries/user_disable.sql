UPDATE BotUsers SET
    DisabledAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    Revision = Revision + 1
WHERE Id = @id AND DisabledAt IS NULL;
