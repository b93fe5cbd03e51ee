-- run_page: the next runs by id, each with the record of its planned instant if that
-- is one that the whole cluster shares.
-- In:  after_id, limit_rows, left_text (begins the error of a run whose end nobody recorded)
-- Out: id, pipeline, instant, worker, whether its worker recorded its end, the
--      outcome on record (NULL: each worker's own, on request, or not kept).
SELECT TOP (@limit_rows) r.Id, r.Pipeline, r.PlannedAt, r.WorkerId,
    CASE WHEN r.Outcome = N'running' OR r.Outcome = N'failed' AND r.Error LIKE CAST(@left_text AS NVARCHAR(450)) THEN 0 ELSE 1 END,
    (SELECT MIN(f.Outcome) FROM BotScheduleFirings f
     WHERE f.Schedule = r.Pipeline AND f.PlannedAt = r.PlannedAt AND f.WorkerName = N'')
FROM BotPipelineRuns r
WHERE r.Id > @after_id
ORDER BY r.Id;
