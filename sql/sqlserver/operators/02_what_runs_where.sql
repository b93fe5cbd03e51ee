-- What runs where, since when, and for how long may it be expected to run?
SELECT w.Name AS WorkerName, w.Host, w.Pid, i.Id, i.Priority, i.Pipeline, i.Progress, i.StartedAt,
    DATEDIFF(second, i.StartedAt, SYSUTCDATETIME()) AS RunsForSeconds,
    i.EstimatedDurationMs / 1000 AS EstimatedSeconds,
    i.RetryCount + 1 AS Attempt, i.LeaseExpiresAt
FROM BotWorkQueueItemsView i
LEFT JOIN BotWorkers w ON w.Name = i.WorkerName
WHERE i.State = 1
ORDER BY w.Name, i.StartedAt, i.Id;
