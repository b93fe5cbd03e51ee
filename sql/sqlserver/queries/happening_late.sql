-- happening_late: runs of system pipelines that started late since a time and were not seen by an evaluation yet, the
-- first first.
-- In:  since, late_ms, limit_rows
-- Out: as happening_items.
SELECT TOP (@limit_rows) r.Id, r.StartedAt, NULL, r.Pipeline, NULL, NULL, NULL, w.Name, r.PlannedAt, NULL
FROM BotPipelineRuns r
LEFT JOIN BotWorkers w ON w.Id = r.WorkerId
WHERE r.StartedAt >= CAST(@since AS DATETIME2(3)) AND r.PlannedAt IS NOT NULL AND r.TriggerName <> N'backfill'
  AND r.PlannedAt < DATEADD(millisecond, -@late_ms, r.StartedAt)
  AND NOT EXISTS (SELECT 1 FROM BotNotificationSeen s WHERE s.Source = N'late' AND s.RefId = r.Id AND s.At = r.StartedAt)
ORDER BY r.StartedAt, r.Id;
