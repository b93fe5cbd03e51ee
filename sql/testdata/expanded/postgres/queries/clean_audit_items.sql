DELETE FROM "BotAuditItems"
WHERE "Id" = ANY (ARRAY(
    SELECT i."Id" FROM "BotAuditLog" c
    JOIN "BotAuditItems" i ON i."AuditId" = c."Id"
    WHERE c."At" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
    LIMIT @limit_rows
    FOR UPDATE OF i SKIP LOCKED));
