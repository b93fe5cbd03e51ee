-- user_disable: lock out a user who is not disabled.
-- In:  id, now (NULL: the database clock)
UPDATE BotUsers SET
    DisabledAt = {{now}},
    Revision = Revision + 1
WHERE Id = @id AND DisabledAt IS NULL;
