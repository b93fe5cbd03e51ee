-- happening_runs: runs of system pipelines that failed since a time and were not seen by an evaluation yet, the first
-- first.
-- In:  since, limit_rows, text_len (characters)
-- Out: as happening_items.
SELECT r.Id, r.FinishedAt, NULL, r.Pipeline, r.FailedStep, NULL, SUBSTR(r.Error, 1, CAST(@text_len AS INTEGER)), w.Name, r.PlannedAt, NULL
FROM BotPipelineRuns r
LEFT JOIN BotWorkers w ON w.Id = r.WorkerId
WHERE r.Outcome = 'failed' AND r.FinishedAt >= @since
  AND NOT EXISTS (SELECT 1 FROM BotNotificationSeen s WHERE s.Source = 'run' AND s.RefId = r.Id AND s.At = r.FinishedAt)
ORDER BY r.FinishedAt, r.Id
LIMIT CAST(@limit_rows AS INTEGER);
