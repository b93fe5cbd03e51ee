INSERT INTO BotUsers (Name, NameKey, Role, Queues, PasswordHash, Subject, CreatedAt, CreatedBy)
OUTPUT inserted.Id
VALUES (@name, @name_key, @role, @queues, @password, @subject, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), @by);
