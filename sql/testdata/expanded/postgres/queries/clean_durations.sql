DELETE FROM "BotDurations"
WHERE "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotDurations" c
    WHERE c."UpdatedAt" <= (SELECT MAX(b."Bound") FROM (
            SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AS "Bound"
            UNION ALL
            SELECT k."UpdatedAt" FROM (SELECT d."UpdatedAt" FROM "BotDurations" d ORDER BY d."UpdatedAt" DESC, d."Id" DESC LIMIT 1 OFFSET CAST(@keep AS bigint)) k) b)
    ORDER BY c."UpdatedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
