-- Items that finished in each hour (UTC) of the last day, and how long they took. It
-- reads all finished rows: do not run it in the busiest hour.
SELECT strftime('%Y-%m-%d %H:00', i.FinishedAt) AS FinishedIn,
    SUM(CASE WHEN i.State = 2 THEN 1 ELSE 0 END) AS Processed,
    SUM(CASE WHEN i.State = 3 THEN 1 ELSE 0 END) AS Cancelled,
    CAST(AVG(CAST(ROUND((julianday(i.FinishedAt) - julianday(i.StartedAt)) * 86400) AS INTEGER)) AS BIGINT) AS MeanSeconds,
    MAX(CAST(ROUND((julianday(i.FinishedAt) - julianday(i.StartedAt)) * 86400) AS INTEGER)) AS LongestSeconds
FROM BotWorkQueueItems i
WHERE i.State IN (2, 3) AND i.FinishedAt >= strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 day')
GROUP BY strftime('%Y-%m-%d %H:00', i.FinishedAt)
ORDER BY 1 DESC;
