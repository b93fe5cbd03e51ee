-- workers_held: what workers hold: all that runs, and what is assigned at or above a
-- priority. Two halves, so that each uses its index. An estimate counts from 0 to ten
-- years: a hand may have written anything, and a sum that overflows would fail every
-- pass. What runs counts with what is left of its estimate; what has run longer than
-- that, with as long again as it has run.
-- In:  min_priority, default_ms, now (NULL: the database clock)
-- Out: worker, priority, 1 for running items, channel, how many, the milliseconds that they
--      are still expected to take, when the latest of them was assigned or started.
SELECT h."WorkerId", h."Priority", h."Running", h."Channel", COUNT(*), SUM(h."Ms"), MAX(h."Since")
FROM (
    SELECT i."WorkerId", i."Priority", 0 AS "Running", i."Channel", i."AssignedAt" AS "Since",
        CASE WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") IS NULL THEN CAST(@default_ms AS bigint) WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") < 0 THEN 0
             WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") > 315360000000 THEN 315360000000 ELSE COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") END AS "Ms"
    FROM "BotWorkQueueItems" i WHERE i."State" = 5 AND i."Priority" >= @min_priority
    UNION ALL
    SELECT r."WorkerId", r."Priority", 1 AS "Running", r."Channel", r."Since", CASE WHEN r."RunMs" < r."Ms" THEN r."Ms" - r."RunMs" ELSE r."RunMs" END AS "Ms"
    FROM (
        SELECT i."WorkerId", i."Priority", i."Channel", i."StartedAt" AS "Since",
            CASE WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") IS NULL THEN CAST(@default_ms AS bigint) WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") < 0 THEN 0
                 WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") > 315360000000 THEN 315360000000 ELSE COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") END AS "Ms",
            CASE WHEN isfinite(i."StartedAt")
                THEN LEAST(GREATEST(CAST(ROUND(EXTRACT(EPOCH FROM {{now}} - i."StartedAt") * 1000) AS bigint), 0), 315360000000)
                ELSE 0 END AS "RunMs"
        FROM "BotWorkQueueItems" i WHERE i."State" = 1
    ) r
) h
WHERE h."WorkerId" IS NOT NULL
GROUP BY h."WorkerId", h."Priority", h."Running", h."Channel";
