INSERT INTO BotUsers (Name, NameKey, Role, Queues, PasswordHash, Subject, CreatedAt, CreatedBy)
VALUES (@name, @name_key, @role, @queues, @password, @subject, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), @by)
RETURNING Id;
