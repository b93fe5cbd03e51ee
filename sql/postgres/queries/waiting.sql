-- waiting: whether an item of a band waits for a worker and is due. The conditions of
-- due but for those that only tell an order; each part follows its own index and ends at the first row:
-- the order has PostgreSQL follow it, which else reads the table as it lies when much waits.
-- In:  min_priority, max_priority, now (NULL: the database clock)
-- Out: 1 or 0.
SELECT CASE
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND NOT i."Scheduled" AND i."DeadlineAt" IS NULL
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= {{now}}
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= {{now}})
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
    ORDER BY i."Priority" DESC, i."Id" LIMIT 1) IS NOT NULL THEN 1
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND NOT i."Scheduled" AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" >= {{now}}
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= {{now}}
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= {{now}})
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
    ORDER BY i."Priority" DESC, i."DeadlineAt", i."Id" LIMIT 1) IS NOT NULL THEN 1
    WHEN (SELECT 1 FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."Scheduled" AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= {{now}})
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= {{now}}
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= {{now}})
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
    ORDER BY i."AvailableAt" LIMIT 1) IS NOT NULL THEN 1
    ELSE 0 END;
