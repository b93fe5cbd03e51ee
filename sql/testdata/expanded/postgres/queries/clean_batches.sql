DELETE FROM "BotBatches"
WHERE "CreatedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotBatches" c
    WHERE c."CreatedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
    ORDER BY c."CreatedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
