DELETE FROM "BotApiAnswers"
WHERE "KeyHash" = CAST(@key_hash AS varchar) AND "Status" = 0;
