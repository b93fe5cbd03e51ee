-- answer_begin: reserve a key that is free. A status of 0 means that the request is
-- being processed.
-- In:  key_hash, caller, idempotency_key, request_hash, now (NULL: the database clock)
INSERT INTO "BotApiAnswers" ("KeyHash", "CallerName", "IdempotencyKey", "RequestHash", "Status", "Body", "At")
SELECT CAST(@key_hash AS varchar), CAST(@caller AS varchar), CAST(@idempotency_key AS varchar), CAST(@request_hash AS varchar), 0, '', {{now}}
WHERE NOT EXISTS (SELECT 1 FROM "BotApiAnswers" a WHERE a."KeyHash" = CAST(@key_hash AS varchar));
