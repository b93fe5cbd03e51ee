-- stat_windows: sums of what is kept of the queues, by the window that a row falls into: the end
-- of the FROM and the GROUP BY follow.
-- In:  since_1 to since_4: where the windows begin, the shortest first
SELECT g."QueueName", g."Kind", g."Age", g."Bucket", CAST(SUM(g."Events") AS bigint), CAST(SUM(g."Level") AS bigint), CAST(SUM(g."DurationMs") AS bigint)
FROM (
    SELECT s."QueueName", s."Kind", s."Bucket", s."Events", s."Level", s."DurationMs",
        CASE WHEN s."StartsAt" >= CAST(@since_1 AS timestamptz) THEN 0 WHEN s."StartsAt" >= CAST(@since_2 AS timestamptz) THEN 1 WHEN s."StartsAt" >= CAST(@since_3 AS timestamptz) THEN 2 WHEN s."StartsAt" >= CAST(@since_4 AS timestamptz) THEN 3 ELSE 4 END AS "Age"
    FROM "BotQueueStats" s
