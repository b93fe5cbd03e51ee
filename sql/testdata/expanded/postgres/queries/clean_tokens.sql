DELETE FROM "BotTokens"
WHERE ("RevokedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' OR "ExpiresAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond') AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotTokens" c
    WHERE (c."RevokedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' OR c."ExpiresAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond')
    ORDER BY c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
