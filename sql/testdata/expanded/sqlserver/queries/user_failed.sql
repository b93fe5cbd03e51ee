UPDATE BotUsers SET Failures = Failures + 1
OUTPUT inserted.Failures
WHERE Id = @id;
