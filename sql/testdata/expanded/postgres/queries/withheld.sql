SELECT i."Id"
FROM "BotWorkQueueItems" i
WHERE i."State" = 5 AND (i."AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    OR i."DeletedAt" IS NOT NULL
    OR i."QueueName" IN (SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
LIMIT @limit_rows;
