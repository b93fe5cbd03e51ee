-- clean_durations: remove what was learned of keys that nothing was learned of for
-- an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM "BotDurations"
WHERE "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotDurations" c
    WHERE c."UpdatedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
    ORDER BY c."UpdatedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
