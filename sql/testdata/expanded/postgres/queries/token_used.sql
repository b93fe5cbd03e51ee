UPDATE "BotTokens" SET "LastUsedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Id" IN (SELECT CAST(j.value AS bigint) FROM json_array_elements_text(CAST(@rows AS json)) j);
