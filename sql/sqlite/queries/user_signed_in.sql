-- user_signed_in: record that a user signs in, unless the user is disabled or has another password. The row
-- stays locked until the transaction ends, so that a change of the user finds the new session.
-- In:  id, password (NULL: any), now (NULL: the database clock)
UPDATE BotUsers SET
    Failures = 0,
    LockedUntil = NULL,
    SignedInAt = {{now}}
WHERE Id = @id AND DisabledAt IS NULL AND (@password IS NULL OR PasswordHash = @password);
