UPDATE BotUsers SET
    DisabledAt = NULL,
    Revision = Revision + 1
WHERE Id = @id AND DisabledAt IS NOT NULL;
