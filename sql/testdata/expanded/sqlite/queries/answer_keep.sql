UPDATE BotApiAnswers SET
    Status = @status,
    Body = @body,
    At = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE KeyHash = @key_hash AND RequestHash = @request_hash AND Status = 0;
