-- user_set: replace the role and the queues of a user, unless another process has changed the user since
-- it was read. A new password also ends a lock.
-- In:  id, revision, role, queues (NULL: all), password, subject (NULL: not changed)
UPDATE BotUsers SET
    Role = @role,
    Queues = @queues,
    PasswordHash = COALESCE(@password, PasswordHash),
    Subject = COALESCE(@subject, Subject),
    Failures = CASE WHEN @password IS NULL THEN Failures ELSE 0 END,
    LockedUntil = CASE WHEN @password IS NULL THEN LockedUntil ELSE NULL END,
    Revision = Revision + 1
WHERE Id = @id AND Revision = @revision;
