-- Planned runs of the last seven days that did not take place, with the reason.
-- WorkerName is empty for a schedule that fires once in the cluster.
SELECT f.PlannedAt, f.Schedule, f.Outcome, f.Reason, f.WorkerName, f.RecordedBy, f.RecordedAt
FROM BotScheduleFirings f
WHERE f.Outcome IN ('missed', 'skipped')
  AND f.PlannedAt >= strftime('%Y-%m-%d %H:%M:%f', 'now', '-7 days')
ORDER BY f.PlannedAt DESC, f.Schedule, f.WorkerName;
