UPDATE BotApiAnswers SET
    Status = @status,
    Body = @body,
    At = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE KeyHash = CAST(@key_hash AS NVARCHAR(450)) AND RequestHash = CAST(@request_hash AS NVARCHAR(450)) AND Status = 0;
