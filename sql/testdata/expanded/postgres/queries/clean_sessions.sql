DELETE FROM "BotSessions"
WHERE "IdleUntil" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotSessions" c
    WHERE c."IdleUntil" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    ORDER BY c."IdleUntil", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
