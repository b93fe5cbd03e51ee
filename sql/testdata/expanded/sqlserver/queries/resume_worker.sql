UPDATE BotWorkers SET
    DrainRequestedAt = NULL,
    State = CASE WHEN State = N'draining' THEN N'active' ELSE State END
WHERE Name = CAST(@name AS NVARCHAR(450)) AND (DrainRequestedAt IS NOT NULL OR State = N'draining');
