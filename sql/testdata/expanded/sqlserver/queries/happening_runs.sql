SELECT TOP (@limit_rows) r.Id, r.FinishedAt, NULL, r.Pipeline, r.FailedStep, NULL, LEFT(r.Error, @text_len), w.Name, r.PlannedAt, NULL
FROM BotPipelineRuns r
LEFT JOIN BotWorkers w ON w.Id = r.WorkerId
WHERE r.Outcome = N'failed' AND r.FinishedAt >= CAST(@since AS DATETIME2(3))
  AND NOT EXISTS (SELECT 1 FROM BotNotificationSeen s WHERE s.Source = N'run' AND s.RefId = r.Id AND s.At = r.FinishedAt)
ORDER BY r.FinishedAt, r.Id;
