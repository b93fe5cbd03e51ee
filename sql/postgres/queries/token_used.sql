-- token_used: record that tokens were used.
-- In:  rows [id], now (NULL: the database clock)
UPDATE "BotTokens" SET "LastUsedAt" = {{now}}
WHERE "Id" IN (SELECT CAST(j.value AS bigint) FROM json_array_elements_text(CAST(@rows AS json)) j);
