SELECT MIN(s."Priority"), MAX(s."Priority")
FROM (
    SELECT i."Priority"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 1 AND (i."LeaseExpiresAt" IS NULL OR i."LeaseExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
    UNION ALL
    SELECT i."Priority"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 5 AND i."WorkerId" = @worker
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND i."QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
    UNION ALL
    SELECT i."Priority"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 5 AND i."WorkerId" IN (
        SELECT w."Id"
        FROM "BotWorkers" w
        WHERE w."State" <> 'active' OR w."Gate" IS NOT NULL OR w."LeaseExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
) s;
