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
