INSERT INTO "BotUsers" ("Name", "NameKey", "Role", "Queues", "PasswordHash", "Subject", "CreatedAt", "CreatedBy")
VALUES (@name, @name_key, @role, @queues, @password, @subject, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), @by)
RETURNING "Id";
