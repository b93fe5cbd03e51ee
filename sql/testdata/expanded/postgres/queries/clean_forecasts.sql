DELETE FROM "BotForecasts"
WHERE "MadeAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotForecasts" c
    WHERE c."MadeAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
    ORDER BY c."MadeAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
