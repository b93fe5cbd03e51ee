INSERT INTO "BotTokens" ("Name", "NameKey", "Start", "Hash", "Role", "Queues", "CreatedAt", "CreatedBy", "ExpiresAt")
VALUES (@name, @name_key, @start, @hash, @role, @queues, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), @by, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@expires_ms AS bigint) * INTERVAL '1 millisecond')
RETURNING "Id", "CreatedAt", "ExpiresAt";
