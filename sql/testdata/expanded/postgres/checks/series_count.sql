SELECT v."QueueName", v."Starts", v."Event", v."Kind", COUNT(*)
FROM (
SELECT u."QueueName", date_trunc('hour', u."HappenedAt", 'UTC') AS "Starts", u."Event", u."Kind"
FROM (
    SELECT i."QueueName", i."CreatedAt" AS "HappenedAt", 'enqueued' AS "Event", '' AS "Kind"
    FROM "BotWorkQueueItems" i
    WHERE i."CreatedAt" >= CAST(@since AS timestamptz)
    UNION ALL
    SELECT i."QueueName", i."FinishedAt" AS "HappenedAt", 'succeeded' AS "Event", '' AS "Kind"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 2 AND i."FinishedAt" >= CAST(@since AS timestamptz)
    UNION ALL
    SELECT i."QueueName", i."FinishedAt" AS "HappenedAt", 'cancelled' AS "Event", COALESCE(i."ErrorKind", '') AS "Kind"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 3 AND i."FinishedAt" >= CAST(@since AS timestamptz)
    UNION ALL
    SELECT i."QueueName", i."StartedAt" AS "HappenedAt", 'started' AS "Event", '' AS "Kind"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (2, 3) AND i."StartedAt" >= CAST(@since AS timestamptz)
      AND NOT EXISTS (SELECT 1 FROM "BotWorkItemAttempts" b WHERE b."ItemId" = i."Id" AND b."Fence" = i."Fence")
    UNION ALL
    SELECT i."QueueName", a."StartedAt" AS "HappenedAt", 'started' AS "Event", '' AS "Kind"
    FROM "BotWorkItemAttempts" a
    JOIN "BotWorkQueueItems" i ON i."Id" = a."ItemId"
    WHERE a."StartedAt" >= CAST(@since AS timestamptz)
    UNION ALL
    SELECT i."QueueName", a."FinishedAt" AS "HappenedAt", CASE WHEN a."Outcome" = 'timeout' THEN 'failed' ELSE a."Outcome" END AS "Event", CASE WHEN a."Outcome" IN ('failed', 'timeout') THEN COALESCE(a."ErrorKind", '') ELSE '' END AS "Kind"
    FROM "BotWorkItemAttempts" a
    JOIN "BotWorkQueueItems" i ON i."Id" = a."ItemId"
    WHERE a."FinishedAt" >= CAST(@since AS timestamptz) AND COALESCE(a."ErrorKind", '') <> 'cancelled'
) u
) v
GROUP BY v."QueueName", v."Starts", v."Event", v."Kind";
