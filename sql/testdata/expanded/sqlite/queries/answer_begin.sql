INSERT INTO BotApiAnswers (KeyHash, CallerName, IdempotencyKey, RequestHash, Status, Body, At)
SELECT @key_hash, @caller, @idempotency_key, @request_hash, 0, '', COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE NOT EXISTS (SELECT 1 FROM BotApiAnswers a WHERE a.KeyHash = @key_hash);
