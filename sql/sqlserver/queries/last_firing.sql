-- last_firing: the latest planned instant of a schedule that has a record or,
-- for a worker's own schedule, a run. Backfills do not count: the instants after them may be due.
-- In:  schedule, worker_name
-- Out: one row; NULL when there is none.
SELECT MAX(p.PlannedAt)
FROM (
    SELECT MAX(f.PlannedAt) AS PlannedAt
    FROM BotScheduleFirings f
    WHERE f.Schedule = CAST(@schedule AS NVARCHAR(450)) AND f.WorkerName = CAST(@worker_name AS NVARCHAR(450)) AND f.Reason <> N'backfill'
    UNION ALL
    SELECT MAX(r.PlannedAt) AS PlannedAt
    FROM BotPipelineRuns r
    JOIN BotWorkers w ON w.Id = r.WorkerId
    WHERE r.Pipeline = CAST(@schedule AS NVARCHAR(450)) AND w.Name = CAST(@worker_name AS NVARCHAR(450)) AND r.TriggerName <> N'backfill'
) p;
