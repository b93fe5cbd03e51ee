-- happening_missed: planned times that were recorded as missed since a time and were not seen by an evaluation yet, the
-- first first.
-- In:  since, limit_rows
-- Out: as happening_items.
SELECT TOP (@limit_rows) f.Id, f.RecordedAt, NULL, f.Schedule, NULL, NULL, f.Reason, f.WorkerName, f.PlannedAt, NULL
FROM BotScheduleFirings f
WHERE f.Outcome = N'missed' AND f.RecordedAt >= CAST(@since AS DATETIME2(3))
  AND NOT EXISTS (SELECT 1 FROM BotNotificationSeen s WHERE s.Source = N'missed' AND s.RefId = f.Id AND s.At = f.RecordedAt)
ORDER BY f.RecordedAt, f.Id;
