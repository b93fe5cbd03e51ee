SELECT r.Id, r.StartedAt, NULL, r.Pipeline, NULL, NULL, NULL, w.Name, r.PlannedAt, NULL
FROM BotPipelineRuns r
LEFT JOIN BotWorkers w ON w.Id = r.WorkerId
WHERE r.StartedAt >= @since AND r.PlannedAt IS NOT NULL AND r.TriggerName <> 'backfill'
  AND r.PlannedAt < strftime('%Y-%m-%d %H:%M:%f', r.StartedAt, printf('%+.3f seconds', -@late_ms / 1000.0))
  AND NOT EXISTS (SELECT 1 FROM BotNotificationSeen s WHERE s.Source = 'late' AND s.RefId = r.Id AND s.At = r.StartedAt)
ORDER BY r.StartedAt, r.Id
LIMIT CAST(@limit_rows AS INTEGER);
