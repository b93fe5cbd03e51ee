SELECT i."QueueName", COUNT(*) AS "Waiting", SUM(CASE WHEN i."State" = 4 THEN 1 ELSE 0 END) AS "Pending", SUM(CASE WHEN i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN 1 ELSE 0 END) AS "Due",
    SUM(CASE WHEN i."AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND i."RetryCount" > 0 THEN 1 ELSE 0 END) AS "Retry", MIN(i."AvailableAt") AS "Oldest", 0 AS "Assigned", 0 AS "Running"
FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NULL AND i."DeletedAt" IS NULL
GROUP BY i."QueueName"
UNION ALL
SELECT i."QueueName", COUNT(*) AS "Waiting", SUM(CASE WHEN i."State" = 4 THEN 1 ELSE 0 END) AS "Pending", SUM(CASE WHEN i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN 1 ELSE 0 END) AS "Due",
    SUM(CASE WHEN i."AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND i."RetryCount" > 0 THEN 1 ELSE 0 END) AS "Retry", MIN(i."AvailableAt") AS "Oldest", 0 AS "Assigned", 0 AS "Running"
FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NOT NULL AND i."DeletedAt" IS NULL
GROUP BY i."QueueName"
UNION ALL
SELECT i."QueueName", 0, 0, 0, 0, CAST(NULL AS timestamptz), COUNT(*), 0
FROM "BotWorkQueueItems" i
WHERE i."State" = 5 AND i."DeletedAt" IS NULL
GROUP BY i."QueueName"
UNION ALL
SELECT i."QueueName", 0, 0, 0, 0, CAST(NULL AS timestamptz), 0, COUNT(*)
FROM "BotWorkQueueItems" i
WHERE i."State" = 1 AND i."DeletedAt" IS NULL
GROUP BY i."QueueName";
