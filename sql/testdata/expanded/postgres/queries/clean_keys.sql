UPDATE "BotWorkQueueItems" SET
    "TimedKey" = NULL,
    "TimedUntil" = NULL
WHERE "State" IN (2, 3) AND "TimedUntil" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotWorkQueueItems" c
    WHERE c."State" IN (2, 3) AND c."TimedKey" IS NOT NULL AND c."TimedUntil" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    ORDER BY c."TimedUntil", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
