DELETE FROM "BotWorkers"
WHERE "LastSeenAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND ("State" = 'stopped' OR "LeaseExpiresAt" IS NULL OR "LeaseExpiresAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
  AND "Id" = ANY (ARRAY(
    SELECT w."Id" FROM "BotWorkers" w
    WHERE w."LastSeenAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND (w."State" = 'stopped' OR w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."State" = 5 AND i."WorkerId" = w."Id")
      AND NOT EXISTS (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."State" = 1 AND i."WorkerId" = w."Id")
    ORDER BY w."LastSeenAt", w."Id"
    LIMIT @limit_rows
    FOR UPDATE OF w SKIP LOCKED));
