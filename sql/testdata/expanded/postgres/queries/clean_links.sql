DELETE FROM "BotSignInLinks"
WHERE "ExpiresAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotSignInLinks" c
    WHERE c."ExpiresAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    ORDER BY c."ExpiresAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
