SELECT r.Id, r.Pipeline, r.PlannedAt, r.WorkerId,
    CASE WHEN r.Outcome = 'running' OR r.Outcome = 'failed' AND r.Error LIKE @left_text THEN 0 ELSE 1 END,
    CASE WHEN r.TriggerName = 'backfill' THEN 'fired' ELSE (SELECT MIN(f.Outcome) FROM BotScheduleFirings f
     WHERE f.Schedule = r.Pipeline AND f.PlannedAt = r.PlannedAt AND f.WorkerName = '') END
FROM BotPipelineRuns r
WHERE r.Id > @after_id
ORDER BY r.Id
LIMIT @limit_rows;
