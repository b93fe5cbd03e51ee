UPDATE BotUsers SET
    Role = @role,
    Queues = @queues,
    PasswordHash = COALESCE(@password, PasswordHash),
    Subject = COALESCE(@subject, Subject),
    Failures = CASE WHEN @password IS NULL THEN Failures ELSE 0 END,
    LockedUntil = CASE WHEN @password IS NULL THEN LockedUntil ELSE NULL END,
    Revision = Revision + 1
WHERE Id = @id AND Revision = @revision;
