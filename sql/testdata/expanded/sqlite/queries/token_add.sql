INSERT INTO BotTokens (Name, NameKey, Start, Hash, Role, Queues, CreatedAt, CreatedBy, ExpiresAt)
VALUES (@name, @name_key, @start, @hash, @role, @queues, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), @by, CASE WHEN @expires_ms IS NOT NULL THEN strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @expires_ms / 1000.0)) END)
RETURNING Id, CreatedAt, ExpiresAt;
