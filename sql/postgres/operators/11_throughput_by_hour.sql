-- Items that finished in each hour (UTC) of the last day, and how long they took. It
-- reads all finished rows: do not run it in the busiest hour.
SELECT date_trunc('hour', i."FinishedAt" AT TIME ZONE 'UTC') AS "FinishedIn",
    SUM(CASE WHEN i."State" = 2 THEN 1 ELSE 0 END) AS "Processed",
    SUM(CASE WHEN i."State" = 3 THEN 1 ELSE 0 END) AS "Cancelled",
    CAST(AVG(CAST(EXTRACT(EPOCH FROM i."FinishedAt" - i."StartedAt") AS BIGINT)) AS BIGINT) AS "MeanSeconds",
    MAX(CAST(EXTRACT(EPOCH FROM i."FinishedAt" - i."StartedAt") AS BIGINT)) AS "LongestSeconds"
FROM "BotWorkQueueItems" i
WHERE i."State" IN (2, 3) AND i."FinishedAt" >= statement_timestamp() - INTERVAL '1 day'
GROUP BY date_trunc('hour', i."FinishedAt" AT TIME ZONE 'UTC')
ORDER BY 1 DESC;
