-- user_add: insert a user. The unique keys refuse a name or a subject that another user has.
-- In:  name, name_key, role, queues (NULL: all), password, subject (NULL: none), by, now (NULL: the database clock)
-- Out: the id.
INSERT INTO "BotUsers" ("Name", "NameKey", "Role", "Queues", "PasswordHash", "Subject", "CreatedAt", "CreatedBy")
VALUES (@name, @name_key, @role, @queues, @password, @subject, {{now}}, @by)
RETURNING "Id";
