-- Durations of runs that the workers have learned, and how far runs differ from
-- their estimates. Durations are used from three runs on; those come first, the
-- largest error first.
SELECT d.Kind, d.Pipeline, d.Name, d.Runs,
    CAST(ROUND(d.MeanMs, 0) AS BIGINT) AS MeanMs,
    d.P90Ms,
    CAST(ROUND(d.ErrorMs, 0) AS BIGINT) AS ErrorMs,
    CAST(CASE WHEN d.Runs > 1 AND d.MeanMs > 0 THEN ROUND(100 * d.ErrorMs / d.MeanMs, 0) END AS BIGINT) AS ErrorPercent,
    CASE WHEN d.Runs >= 3 THEN N'yes' ELSE N'no' END AS Used,
    d.UpdatedAt
FROM BotDurations d
ORDER BY CASE WHEN d.Runs >= 3 THEN 0 ELSE 1 END, CASE WHEN d.MeanMs > 0 THEN d.ErrorMs / d.MeanMs ELSE 0 END DESC, d.Id;
