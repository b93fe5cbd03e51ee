-- Items that wait in each band, since when, and the sum of their estimated durations.
-- An item without an estimate counts with the mean of the latest runs of its pipeline.
SELECT i.Band,
    SUM(CASE WHEN i.State IN (0, 4) AND i.AvailableAt <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 1 ELSE 0 END) AS Due,
    SUM(CASE WHEN i.State IN (0, 4) AND i.AvailableAt > strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 1 ELSE 0 END) AS NotDueYet,
    SUM(CASE WHEN i.State = 5 THEN 1 ELSE 0 END) AS Assigned,
    SUM(CASE WHEN i.State = 1 THEN 1 ELSE 0 END) AS Running,
    MIN(CASE WHEN i.State IN (0, 4) AND i.AvailableAt <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN i.AvailableAt END) AS OldestDueSince,
    CAST(SUM(CASE WHEN i.State IN (0, 4, 5) THEN COALESCE(i.EstimatedDurationMs, l.MeanMs) ELSE 0 END) / 1000 AS BIGINT) AS EstimatedSeconds
FROM BotWorkQueueItemsView i
LEFT JOIN (SELECT d.Pipeline, MAX(d.MeanMs) AS MeanMs FROM BotDurations d
    WHERE d.Kind = 'pipeline' AND d.Runs >= 3 GROUP BY d.Pipeline) l ON l.Pipeline = i.Pipeline
WHERE i.State IN (0, 1, 4, 5) AND i.DeletedAt IS NULL
GROUP BY i.Band
ORDER BY MAX(i.Priority) DESC;
