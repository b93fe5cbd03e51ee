DELETE FROM "BotApiAnswers"
WHERE "At" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotApiAnswers" c
    WHERE c."At" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
    ORDER BY c."At", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
