-- request_instant: the record of a planned instant of the whole cluster.
-- In:  schedule, planned_at
-- Out: its outcome; no row if it has none.
SELECT f.Outcome FROM BotScheduleFirings f
WHERE f.Schedule = CAST(@schedule AS NVARCHAR(450)) AND f.PlannedAt = CAST(@planned_at AS DATETIME2(3)) AND f.WorkerName = N'';
