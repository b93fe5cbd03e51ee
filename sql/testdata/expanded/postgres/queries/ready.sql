SELECT CASE
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."Scheduled" AND i."AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@recent_ms AS bigint) * INTERVAL '1 millisecond' AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."DeletedAt" IS NULL
      AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
    ORDER BY i."AvailableAt" LIMIT 1) IS NOT NULL THEN 3
    WHEN (SELECT 1 FROM (SELECT l."State", l."Priority", l."QueueName", l."AvailableAt", l."DeletedAt", l."DeadlineAt", l."ExpiresAt", l."CreatedAt" FROM "BotWorkQueueItems" l WHERE l."Id" > (SELECT MAX(m."Id") FROM "BotWorkQueueItems" m) - 100) i
    WHERE i."State" IN (0, 4) AND i."CreatedAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@recent_ms AS bigint) * INTERVAL '1 millisecond' AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."DeletedAt" IS NULL
      AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
    LIMIT 1) IS NOT NULL THEN 3
    WHEN EXISTS (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" = 5 AND i."WorkerId" = @worker
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."State" = 'active')) THEN 2
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND NOT i."Scheduled" AND i."DeadlineAt" IS NULL
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
    ORDER BY i."Priority" DESC, i."Id" LIMIT 1) IS NOT NULL THEN 1
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND NOT i."Scheduled" AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
    ORDER BY i."Priority" DESC, i."DeadlineAt", i."Id" LIMIT 1) IS NOT NULL THEN 1
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."Scheduled" AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
    ORDER BY i."AvailableAt" LIMIT 1) IS NOT NULL THEN 1
    WHEN EXISTS (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" = 5 AND i."WorkerId" <> @worker AND i."AssignedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@elsewhere_ms AS bigint) * INTERVAL '1 millisecond'
      AND i."Priority" BETWEEN @min_priority AND @max_priority) THEN 4
    ELSE 0 END,
    (SELECT CAST(EXTRACT(EPOCH FROM i."AvailableAt" - CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))) * 1000 AS bigint) FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."Scheduled" AND i."AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND i."AvailableAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + INTERVAL '1 minute'
    ORDER BY i."AvailableAt" LIMIT 1);
