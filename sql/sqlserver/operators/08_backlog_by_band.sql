-- Items that wait in each band, since when, and the sum of their estimated durations.
-- An item without an estimate counts with the mean of the latest runs of its pipeline.
-- Each part uses its own index.
SELECT p.Band,
    SUM(CASE WHEN p.State IN (0, 4) AND p.AvailableAt <= SYSUTCDATETIME() THEN 1 ELSE 0 END) AS Due,
    SUM(CASE WHEN p.State IN (0, 4) AND p.AvailableAt > SYSUTCDATETIME() THEN 1 ELSE 0 END) AS NotDueYet,
    SUM(CASE WHEN p.State = 5 THEN 1 ELSE 0 END) AS Assigned,
    SUM(CASE WHEN p.State = 1 THEN 1 ELSE 0 END) AS Running,
    MIN(CASE WHEN p.State IN (0, 4) AND p.AvailableAt <= SYSUTCDATETIME() THEN p.AvailableAt END) AS OldestDueSince,
    CAST(SUM(CASE WHEN p.State IN (0, 4, 5) THEN COALESCE(p.EstimatedDurationMs, l.MeanMs) ELSE 0 END) / 1000 AS BIGINT) AS EstimatedSeconds
FROM (
    SELECT i.State, i.Priority, i.Band, i.Pipeline, i.AvailableAt, i.EstimatedDurationMs FROM BotWorkQueueItemsView i
    WHERE i.State IN (0, 4) AND i.DeadlineAt IS NULL AND i.Fence >= 0 AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.State, i.Priority, i.Band, i.Pipeline, i.AvailableAt, i.EstimatedDurationMs FROM BotWorkQueueItemsView i
    WHERE i.State IN (0, 4) AND i.DeadlineAt IS NOT NULL AND i.Fence >= 0 AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.State, i.Priority, i.Band, i.Pipeline, i.AvailableAt, i.EstimatedDurationMs FROM BotWorkQueueItemsView i
    WHERE i.State = 5 AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.State, i.Priority, i.Band, i.Pipeline, i.AvailableAt, i.EstimatedDurationMs FROM BotWorkQueueItemsView i
    WHERE i.State = 1 AND i.DeletedAt IS NULL
) p
LEFT JOIN (SELECT d.Pipeline, MAX(d.MeanMs) AS MeanMs FROM BotDurations d
    WHERE d.Kind = N'pipeline' AND d.Runs >= 3 GROUP BY d.Pipeline) l ON l.Pipeline = p.Pipeline
GROUP BY p.Band
ORDER BY MAX(p.Priority) DESC;
