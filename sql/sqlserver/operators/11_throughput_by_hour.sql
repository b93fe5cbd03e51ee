-- Items that finished in each hour (UTC) of the last day, and how long they took. It
-- reads all finished rows: do not run it in the busiest hour.
SELECT DATEADD(hour, DATEPART(hour, i.FinishedAt), CAST(CAST(i.FinishedAt AS DATE) AS DATETIME2(0))) AS FinishedIn,
    SUM(CASE WHEN i.State = 2 THEN 1 ELSE 0 END) AS Processed,
    SUM(CASE WHEN i.State = 3 THEN 1 ELSE 0 END) AS Cancelled,
    CAST(AVG(DATEDIFF(second, i.StartedAt, i.FinishedAt)) AS BIGINT) AS MeanSeconds,
    MAX(DATEDIFF(second, i.StartedAt, i.FinishedAt)) AS LongestSeconds
FROM BotWorkQueueItems i
WHERE i.State IN (2, 3) AND i.FinishedAt >= DATEADD(day, -1, SYSUTCDATETIME())
GROUP BY DATEADD(hour, DATEPART(hour, i.FinishedAt), CAST(CAST(i.FinishedAt AS DATE) AS DATETIME2(0)))
ORDER BY 1 DESC;
