INSERT INTO BotApiAnswers (KeyHash, CallerName, IdempotencyKey, RequestHash, Status, Body, At)
SELECT @key_hash, @caller, @idempotency_key, @request_hash, 0, N'', COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE NOT EXISTS (SELECT 1 FROM BotApiAnswers a WHERE a.KeyHash = CAST(@key_hash AS NVARCHAR(450)));
