UPDATE "BotTokens" SET
    "RevokedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "RevokedBy" = CAST(@by AS varchar)
WHERE "Id" = @id AND "RevokedAt" IS NULL;
