UPDATE "BotWorkQueueItems" SET "Scheduled" = FALSE
WHERE "State" + 0 IN (0, 4) AND "Id" = ANY (ARRAY(
    SELECT c."Id"
    FROM "BotWorkQueueItems" c
    WHERE c."State" IN (0, 4) AND c."Scheduled" AND c."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    ORDER BY c."AvailableAt"
    LIMIT @limit_rows
    FOR NO KEY UPDATE SKIP LOCKED));
