SELECT TOP (@limit_rows) r.Id, r.Pipeline, r.PlannedAt, r.WorkerId,
    CASE WHEN r.Outcome = N'running' OR r.Outcome = N'failed' AND r.Error LIKE CAST(@left_text AS NVARCHAR(450)) THEN 0 ELSE 1 END,
    CASE WHEN r.TriggerName = N'backfill' THEN N'fired' ELSE (SELECT MIN(f.Outcome) FROM BotScheduleFirings f
     WHERE f.Schedule = r.Pipeline AND f.PlannedAt = r.PlannedAt AND f.WorkerName = N'') END
FROM BotPipelineRuns r
WHERE r.Id > @after_id
ORDER BY r.Id;
