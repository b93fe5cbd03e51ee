DELETE FROM BotApiAnswers
WHERE KeyHash = @key_hash AND Status = 0;
