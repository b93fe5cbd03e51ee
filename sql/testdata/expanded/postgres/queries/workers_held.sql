SELECT h."WorkerId", h."Priority", h."Running", h."Channel", COUNT(*), SUM(h."Ms"), MAX(h."Since")
FROM (
    SELECT i."WorkerId", i."Priority", 0 AS "Running", i."Channel", i."AssignedAt" AS "Since",
        CASE WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") IS NULL THEN CAST(@default_ms AS bigint) WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") < 0 THEN 0
             WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") > 315360000000 THEN 315360000000 ELSE COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") END AS "Ms"
    FROM "BotWorkQueueItems" i WHERE i."State" = 5 AND i."Priority" >= @min_priority
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
    UNION ALL
    SELECT r."WorkerId", r."Priority", 1 AS "Running", r."Channel", r."Since", CASE WHEN r."RunMs" < r."Ms" THEN r."Ms" - r."RunMs" ELSE r."RunMs" END AS "Ms"
    FROM (
        SELECT i."WorkerId", i."Priority", i."Channel", i."StartedAt" AS "Since",
            CASE WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") IS NULL THEN CAST(@default_ms AS bigint) WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") < 0 THEN 0
                 WHEN COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") > 315360000000 THEN 315360000000 ELSE COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs") END AS "Ms",
            CASE WHEN isfinite(i."StartedAt")
                THEN LEAST(GREATEST(CAST(ROUND(EXTRACT(EPOCH FROM CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - i."StartedAt") * 1000) AS bigint), 0), 315360000000)
                ELSE 0 END AS "RunMs"
        FROM "BotWorkQueueItems" i WHERE i."State" = 1 AND (i."BatchLeaderId" IS NULL OR i."BatchLeaderId" = i."Id")
    ) r
) h
WHERE h."WorkerId" IS NOT NULL
GROUP BY h."WorkerId", h."Priority", h."Running", h."Channel";
