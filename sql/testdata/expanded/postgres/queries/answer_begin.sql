INSERT INTO "BotApiAnswers" ("KeyHash", "CallerName", "IdempotencyKey", "RequestHash", "Status", "Body", "At")
SELECT CAST(@key_hash AS varchar), CAST(@caller AS varchar), CAST(@idempotency_key AS varchar), CAST(@request_hash AS varchar), 0, '', CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE NOT EXISTS (SELECT 1 FROM "BotApiAnswers" a WHERE a."KeyHash" = CAST(@key_hash AS varchar));
