-- last_firing: the latest planned instant of a schedule that has a record or,
-- for a worker's own schedule, a run. Backfills do not count: the instants after them may be due.
-- In:  schedule, worker_name
-- Out: one row; NULL when there is none.
SELECT MAX(p.PlannedAt)
FROM (
    SELECT MAX(f.PlannedAt) AS PlannedAt
    FROM BotScheduleFirings f
    WHERE f.Schedule = @schedule AND f.WorkerName = @worker_name AND f.Reason <> 'backfill'
    UNION ALL
    SELECT MAX(r.PlannedAt) AS PlannedAt
    FROM BotPipelineRuns r
    JOIN BotWorkers w ON w.Id = r.WorkerId
    WHERE r.Pipeline = @schedule AND w.Name = @worker_name AND r.TriggerName <> 'backfill'
) p;
