UPDATE BotWorkers SET
    Overrides = @overrides
WHERE Id = @id AND COALESCE(Overrides, N'') = CAST(@old AS NVARCHAR(MAX));
