SELECT CASE
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."DeadlineAt" IS NULL
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
    ORDER BY i."Priority" DESC, i."Id" LIMIT 1) IS NOT NULL THEN 1
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
    ORDER BY i."Priority" DESC, i."DeadlineAt", i."Id" LIMIT 1) IS NOT NULL THEN 1
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND i."Scheduled" AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
    ORDER BY i."AvailableAt" LIMIT 1) IS NOT NULL THEN 1
    WHEN EXISTS (SELECT 1 FROM (
      SELECT b."Id", b."Priority", b."Place", b."Waiting", b."Given", b."Most", b."Latest", b."First", b."WaitMs", b."AtMostMs"
      FROM (
          SELECT m."Id", m."Priority", m."Waits",
              ROW_NUMBER() OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId" ORDER BY m."Waits" DESC, m."Priority" DESC, m."Id") AS "Place",
              SUM(m."Waits") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "Waiting",
              SUM(1 - m."Waits") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "Given",
              MIN(m."Most") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "Most",
              MAX(m."WaitsSince") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "Latest",
              MIN(m."WaitsSince") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "First",
              MIN(m."WaitMs") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "WaitMs",
              MIN(m."AtMostMs") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "AtMostMs"
          FROM (
              SELECT i."Id", i."Priority", i."QueueName", i."BatchKey", substr(i."IntegrationConfig", 1, 200) AS "Pipeline",
                  COALESCE(i."LimitKey", '') AS "LimitText", COALESCE(i."Selectors", '') AS "SelectorText",
                  CASE WHEN i."ReleaseCount" > 0 OR NOT i."PoliciesApplied" AND i."Fence" = 0 THEN i."Id" END AS "AloneId",
                  CASE WHEN i."State" IN (0, 4) THEN 1 ELSE 0 END AS "Waits",
                  CASE WHEN i."State" IN (0, 4) THEN i."AvailableAt" END AS "WaitsSince",
                  CASE WHEN i."ReleaseCount" > 0 OR NOT i."PoliciesApplied" AND i."Fence" = 0 OR i."BatchMax" IS NULL OR i."BatchMax" < 1 THEN 1 ELSE i."BatchMax" END AS "Most",
                  COALESCE(i."BatchWaitMs", 0) AS "WaitMs", COALESCE(i."BatchAtMostMs", 0) AS "AtMostMs"
              FROM "BotWorkQueueItems" i
              WHERE i."BatchKey" IS NOT NULL AND i."State" IN (0, 1, 4, 5)
                AND (i."State" = 5 OR i."State" = 1 AND i."WorkerId" IS NOT NULL AND i."BatchLeaderId" IS NULL OR i."State" IN (0, 4)
                  AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
                  AND i."DeletedAt" IS NULL
                  AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
                  AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
                  AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
                )
                AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
          ) m) b
      WHERE b."Waits" = 1
      ) g
    WHERE g."Priority" BETWEEN @min_priority AND @max_priority AND (g."Place" <= (g."Waiting" - g."Given" * (g."Most" - 1)) / g."Most"
      OR g."Place" = 1 AND g."Given" = 0 AND (g."Latest" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - g."WaitMs" * INTERVAL '1 millisecond' OR g."First" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - g."AtMostMs" * INTERVAL '1 millisecond'))) THEN 1
    ELSE 0 END;
