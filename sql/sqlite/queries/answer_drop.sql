-- answer_drop: free a reserved key.
-- In:  key_hash
DELETE FROM BotApiAnswers
WHERE KeyHash = @key_hash AND Status = 0;
