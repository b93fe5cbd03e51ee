-- answer_keep: store the answer of a request whose key is reserved.
-- In:  key_hash, request_hash, status, body, now (NULL: the database clock)
UPDATE BotApiAnswers SET
    Status = @status,
    Body = @body,
    At = {{now}}
WHERE KeyHash = CAST(@key_hash AS NVARCHAR(450)) AND RequestHash = CAST(@request_hash AS NVARCHAR(450)) AND Status = 0;
