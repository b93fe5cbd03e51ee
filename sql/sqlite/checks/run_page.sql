-- run_page: the next runs by id, each with the record of its planned instant if the whole cluster
-- shares that.
-- In:  after_id, limit_rows, left_text (the beginning of the error of a run whose end was not recorded)
-- Out: id, pipeline, instant, worker, whether its worker recorded its end, the
--      outcome on record (NULL: each worker's own, on request, or not kept). A backfill runs instants that were missed.
SELECT r.Id, r.Pipeline, r.PlannedAt, r.WorkerId,
    CASE WHEN r.Outcome = 'running' OR r.Outcome = 'failed' AND r.Error LIKE @left_text THEN 0 ELSE 1 END,
    CASE WHEN r.TriggerName = 'backfill' THEN 'fired' ELSE (SELECT MIN(f.Outcome) FROM BotScheduleFirings f
     WHERE f.Schedule = r.Pipeline AND f.PlannedAt = r.PlannedAt AND f.WorkerName = '') END
FROM BotPipelineRuns r
WHERE r.Id > @after_id
ORDER BY r.Id
LIMIT @limit_rows;
