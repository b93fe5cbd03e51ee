SELECT c."Id"
FROM (
    SELECT i."Id"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4, 5) AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
    UNION ALL
    SELECT i."Id"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4, 5) AND i."ExpiresAt" IS NOT NULL AND i."ExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
) c
LIMIT @limit_rows;
