DELETE FROM "BotAuditLog"
WHERE "At" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotAuditLog" c
    WHERE c."At" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
      AND NOT EXISTS (SELECT 1 FROM "BotAuditItems" i WHERE i."AuditId" = c."Id")
    ORDER BY c."At", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
