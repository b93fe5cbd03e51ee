UPDATE BotQueues SET
    Paused = @paused,
    Revision = Revision + 1,
    UpdatedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE Name = CAST(@name AS NVARCHAR(450)) AND Paused <> @paused;
