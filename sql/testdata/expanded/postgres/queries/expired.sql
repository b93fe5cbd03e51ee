SELECT c."Id"
FROM (
    SELECT i."Id"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4, 5) AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
    UNION ALL
    SELECT i."Id"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4, 5) AND i."ExpiresAt" IS NOT NULL AND i."ExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
) c
LIMIT @limit_rows;
