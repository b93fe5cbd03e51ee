UPDATE BotWorkers SET
    DrainRequestedAt = COALESCE(DrainRequestedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))),
    State = CASE WHEN State = N'active' THEN N'draining' ELSE State END
WHERE Name = CAST(@name AS NVARCHAR(450)) AND (DrainRequestedAt IS NULL OR State = N'active');
