-- request_instant: the record of a planned instant of the whole cluster.
-- In:  schedule, planned_at
-- Out: its outcome; no row if it has none.
SELECT f.Outcome FROM BotScheduleFirings f
WHERE f.Schedule = @schedule AND f.PlannedAt = @planned_at AND f.WorkerName = '';
