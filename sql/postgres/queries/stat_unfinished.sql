-- stat_unfinished: count the waiting, assigned and running items of each queue. Each part uses its index, so that
-- ended items cost nothing; the entries of the indexes of waiting items have all that is read here, so that a million of
-- them need no row of the table. No fence is below 0, but these indexes need the condition. Each part is grouped by itself,
-- in the order of its index.
-- In:  now (NULL: the database clock)
-- Out: queue, number of waiting items, of those with state 4, of those that are due, of the others those that have failed
--      before, the earliest due time of a waiting item (NULL: none waits), number of assigned and of running items. A queue
--      may have several rows.
SELECT i."QueueName", COUNT(*) AS "Waiting", SUM(CASE WHEN i."State" = 4 THEN 1 ELSE 0 END) AS "Pending", SUM(CASE WHEN i."AvailableAt" <= {{now}} THEN 1 ELSE 0 END) AS "Due",
    SUM(CASE WHEN i."AvailableAt" > {{now}} AND i."RetryCount" > 0 THEN 1 ELSE 0 END) AS "Retry", MIN(i."AvailableAt") AS "Oldest", 0 AS "Assigned", 0 AS "Running"
FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."Fence" >= 0 AND i."DeadlineAt" IS NULL AND i."DeletedAt" IS NULL
GROUP BY i."QueueName"
UNION ALL
SELECT i."QueueName", COUNT(*) AS "Waiting", SUM(CASE WHEN i."State" = 4 THEN 1 ELSE 0 END) AS "Pending", SUM(CASE WHEN i."AvailableAt" <= {{now}} THEN 1 ELSE 0 END) AS "Due",
    SUM(CASE WHEN i."AvailableAt" > {{now}} AND i."RetryCount" > 0 THEN 1 ELSE 0 END) AS "Retry", MIN(i."AvailableAt") AS "Oldest", 0 AS "Assigned", 0 AS "Running"
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
