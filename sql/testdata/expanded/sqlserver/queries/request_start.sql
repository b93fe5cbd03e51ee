UPDATE BotRunRequests SET
    State = N'started',
    WorkerId = @worker,
    StartedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE Id = @request AND State = N'pending' AND ExpiresAt > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)));
