-- answer_begin: reserve a key that is free. A status of 0 means that the request is
-- being processed.
-- In:  key_hash, caller, idempotency_key, request_hash, now (NULL: the database clock)
INSERT INTO BotApiAnswers (KeyHash, CallerName, IdempotencyKey, RequestHash, Status, Body, At)
SELECT @key_hash, @caller, @idempotency_key, @request_hash, 0, '', {{now}}
WHERE NOT EXISTS (SELECT 1 FROM BotApiAnswers a WHERE a.KeyHash = @key_hash);
