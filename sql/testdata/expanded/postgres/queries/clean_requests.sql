DELETE FROM "BotRunRequests"
WHERE "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotRunRequests" c
    WHERE c."RequestedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND c."ExpiresAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
      AND NOT EXISTS (SELECT 1 FROM "BotPipelineRuns" r WHERE r."Id" = c."RunId")
    ORDER BY c."RequestedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE OF c SKIP LOCKED));
