SELECT f.Schedule, f.PlannedAt, f.WorkerName, COUNT(*), MIN(f.Outcome), MAX(f.Outcome)
FROM BotScheduleFirings f
GROUP BY f.Schedule, f.PlannedAt, f.WorkerName
HAVING COUNT(*) > 1
ORDER BY f.Schedule, f.PlannedAt, f.WorkerName
LIMIT @limit_rows;
