-- answer_read: the answer that a key has.
-- In:  key_hash
SELECT a.RequestHash, a.Status, a.Body, a.At
FROM BotApiAnswers a
WHERE a.KeyHash = @key_hash;
