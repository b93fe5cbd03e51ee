-- Running items by worker or robot: since when, and how long they are expected to
-- run. Step, progress and log lines are at most a few seconds old. A slot of the
-- worker is stuck if its handler was cancelled and does not stop. For an item that a
-- robot has taken, WorkerName is the robot. An item without an estimate has the mean
-- of the latest runs of its pipeline.
SELECT COALESCE(w.Name, i.Robot) AS WorkerName, w.Host, w.Pid, i.Id, i.Priority, i.Pipeline, i.Step, i.Progress, i.StartedAt,
    DATEDIFF(second, i.StartedAt, SYSUTCDATETIME()) AS RunsForSeconds,
    CAST(COALESCE(i.EstimatedDurationMs, l.MeanMs) / 1000 AS BIGINT) AS EstimatedSeconds,
    i.RetryCount + 1 AS Attempt, i.FirstStartedAt, i.LeaseExpiresAt, w.StuckSlots, i.LogTail
FROM BotWorkQueueItemsView i
LEFT JOIN BotWorkers w ON w.Name = i.WorkerName
LEFT JOIN (SELECT d.Pipeline, MAX(d.MeanMs) AS MeanMs FROM BotDurations d
    WHERE d.Kind = N'pipeline' AND d.Runs >= 3 GROUP BY d.Pipeline) l ON l.Pipeline = i.Pipeline
WHERE i.State = 1
ORDER BY w.Name, i.StartedAt, i.Id;
