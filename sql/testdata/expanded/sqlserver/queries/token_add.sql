INSERT INTO BotTokens (Name, NameKey, Start, Hash, Role, Queues, CreatedAt, CreatedBy, ExpiresAt)
OUTPUT inserted.Id, inserted.CreatedAt, inserted.ExpiresAt
VALUES (@name, @name_key, @start, @hash, @role, @queues, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), @by, DATEADD(millisecond, (CAST(@expires_ms AS BIGINT) % 1000), DATEADD(second, (CAST(@expires_ms AS BIGINT) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))));
