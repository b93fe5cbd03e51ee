-- token_used: record that tokens were used.
-- In:  rows [id], now (NULL: the database clock)
UPDATE BotTokens SET LastUsedAt = {{now}}
WHERE Id IN (SELECT j.TokenId FROM OPENJSON(@rows) WITH (TokenId BIGINT '$') j);
