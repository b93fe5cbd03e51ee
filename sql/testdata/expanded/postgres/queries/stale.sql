SELECT c."Id", c."Fence", c."State", c."WorkerId", c."RetryCount", c."Priority"
FROM (
    SELECT i."Id", i."Fence", i."State", i."WorkerId", i."RetryCount", i."Priority"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 1 AND (i."LeaseExpiresAt" IS NULL OR i."LeaseExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
    UNION ALL
    SELECT i."Id", i."Fence", i."State", i."WorkerId", i."RetryCount", i."Priority"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 5 AND (
        i."AssignedAt" IS NULL
        OR i."AssignedAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@assigned_ms AS bigint) * INTERVAL '1 millisecond'
        OR NOT EXISTS (SELECT 1 FROM "BotWorkers" w
            WHERE w."Id" = i."WorkerId" AND w."State" = 'active' AND w."Gate" IS NULL AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
) c
LIMIT @limit_rows;
