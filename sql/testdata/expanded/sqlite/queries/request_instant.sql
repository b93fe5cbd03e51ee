SELECT f.Outcome FROM BotScheduleFirings f
WHERE f.Schedule = @schedule AND f.PlannedAt = @planned_at AND f.WorkerName = '';
