SELECT c."Id", c."State", c."Version", c."Priority", c."Selectors", c."AvailableAt", c."Step"
FROM (
    SELECT i."Id", i."State", i."Version", i."Priority", i."Selectors", i."AvailableAt", COALESCE(m."Step", 0) AS "Step"
    FROM "BotWorkQueueItems" i
    LEFT JOIN "BotItemEscalations" m ON m."ItemId" = i."Id" AND m."RuleId" = CAST(@rule AS bigint) AND m."DueAt" = i."AvailableAt"
    WHERE i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NULL AND i."QueueName" = @queue AND i."DeletedAt" IS NULL
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@after_ms AS bigint) * INTERVAL '1 millisecond'
      AND (m."Step" IS NULL OR CAST(@every_ms AS bigint) > 0 AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - (CAST(@after_ms AS bigint) + CAST(@every_ms AS bigint) * m."Step") * INTERVAL '1 millisecond')
      AND (m."Step" IS NULL OR CAST(@since AS timestamptz) IS NULL OR CAST(@since AS timestamptz) <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - (CAST(@every_ms AS bigint) * m."Step") * INTERVAL '1 millisecond')
      AND (CAST(@cap AS bigint) IS NULL OR i."Priority" < CAST(@cap AS bigint))
      AND (CAST(@selective AS bigint) = 0 OR i."Selectors" IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND q."Paused")
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
    UNION ALL
    SELECT i."Id", i."State", i."Version", i."Priority", i."Selectors", i."AvailableAt", COALESCE(m."Step", 0) AS "Step"
    FROM "BotWorkQueueItems" i
    LEFT JOIN "BotItemEscalations" m ON m."ItemId" = i."Id" AND m."RuleId" = CAST(@rule AS bigint) AND m."DueAt" = i."AvailableAt"
    WHERE i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NOT NULL AND i."QueueName" = @queue AND i."DeletedAt" IS NULL
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@after_ms AS bigint) * INTERVAL '1 millisecond'
      AND (m."Step" IS NULL OR CAST(@every_ms AS bigint) > 0 AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - (CAST(@after_ms AS bigint) + CAST(@every_ms AS bigint) * m."Step") * INTERVAL '1 millisecond')
      AND (m."Step" IS NULL OR CAST(@since AS timestamptz) IS NULL OR CAST(@since AS timestamptz) <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - (CAST(@every_ms AS bigint) * m."Step") * INTERVAL '1 millisecond')
      AND (CAST(@cap AS bigint) IS NULL OR i."Priority" < CAST(@cap AS bigint))
      AND (CAST(@selective AS bigint) = 0 OR i."Selectors" IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND q."Paused")
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
    UNION ALL
    SELECT i."Id", i."State", i."Version", i."Priority", i."Selectors", i."AvailableAt", COALESCE(m."Step", 0) AS "Step"
    FROM "BotWorkQueueItems" i
    LEFT JOIN "BotItemEscalations" m ON m."ItemId" = i."Id" AND m."RuleId" = CAST(@rule AS bigint) AND m."DueAt" = i."AvailableAt"
    WHERE i."State" = 5 AND CAST(@assigned AS bigint) = 1 AND i."QueueName" = @queue AND i."DeletedAt" IS NULL
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@after_ms AS bigint) * INTERVAL '1 millisecond'
      AND (m."Step" IS NULL OR CAST(@every_ms AS bigint) > 0 AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - (CAST(@after_ms AS bigint) + CAST(@every_ms AS bigint) * m."Step") * INTERVAL '1 millisecond')
      AND (m."Step" IS NULL OR CAST(@since AS timestamptz) IS NULL OR CAST(@since AS timestamptz) <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - (CAST(@every_ms AS bigint) * m."Step") * INTERVAL '1 millisecond')
      AND (CAST(@cap AS bigint) IS NULL OR i."Priority" < CAST(@cap AS bigint))
      AND (CAST(@selective AS bigint) = 0 OR i."Selectors" IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND q."Paused")
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
) c
LIMIT @limit_rows;
