UPDATE "BotUsers" SET
    "Failures" = 0,
    "LockedUntil" = NULL,
    "SignedInAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Id" = @id AND "DisabledAt" IS NULL AND (CAST(@password AS varchar) IS NULL OR "PasswordHash" = CAST(@password AS varchar));
