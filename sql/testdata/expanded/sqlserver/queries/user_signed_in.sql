UPDATE BotUsers SET
    Failures = 0,
    LockedUntil = NULL,
    SignedInAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE Id = @id AND DisabledAt IS NULL AND (@password IS NULL OR PasswordHash = CAST(@password AS NVARCHAR(450)));
