UPDATE BotWorkers SET
    Overrides = @overrides
WHERE Id = @id AND COALESCE(Overrides, '') = @old;
