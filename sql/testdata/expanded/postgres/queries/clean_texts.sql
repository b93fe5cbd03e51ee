DELETE FROM "BotPipelineTexts"
WHERE "UsedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotPipelineTexts" c
    WHERE c."UsedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
    ORDER BY c."UsedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
