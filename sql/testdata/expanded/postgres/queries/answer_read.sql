SELECT a."RequestHash", a."Status", a."Body", a."At"
FROM "BotApiAnswers" a
WHERE a."KeyHash" = CAST(@key_hash AS varchar);
