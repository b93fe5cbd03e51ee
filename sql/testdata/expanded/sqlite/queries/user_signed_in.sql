UPDATE BotUsers SET
    Failures = 0,
    LockedUntil = NULL,
    SignedInAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Id = @id AND DisabledAt IS NULL AND (@password IS NULL OR PasswordHash = @password);
