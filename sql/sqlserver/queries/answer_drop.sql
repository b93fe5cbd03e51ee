-- answer_drop: free a reserved key.
-- In:  key_hash
DELETE FROM BotApiAnswers
WHERE KeyHash = CAST(@key_hash AS NVARCHAR(450)) AND Status = 0;
