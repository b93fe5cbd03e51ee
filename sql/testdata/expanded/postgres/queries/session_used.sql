UPDATE "BotSessions" SET
    "SeenAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "IdleUntil" = CASE WHEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@idle_ms AS bigint) * INTERVAL '1 millisecond' < "ExpiresAt" THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@idle_ms AS bigint) * INTERVAL '1 millisecond' ELSE "ExpiresAt" END
WHERE "Id" = @id AND "IdleUntil" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3));
