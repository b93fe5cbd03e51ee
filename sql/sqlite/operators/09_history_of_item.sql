-- The events of an item in order. Assignment and start are those of the present or
-- last attempt; earlier attempts are listed with the machine that ran them, their
-- progress and their last log lines.
WITH item AS (
    SELECT i.Id, i.StateName, i.State, i.CreatedAt, i.CreatedBy, i.AssignedAt, i.StartedAt, i.FinishedAt, i.WorkerName, i.WorkerHost, i.Error,
        i.Step, i.Progress, i.LogTail
    FROM BotWorkQueueItemsView i
    WHERE i.Id = 1 -- the item's id
)
SELECT h.HappenedAt, h.What, h.WorkerName, h.Host, h.Detail, h.Progress, h.LogTail
FROM (
    SELECT 1 AS Step, i.CreatedAt AS HappenedAt, 'created' AS What, NULL AS WorkerName, NULL AS Host, i.CreatedBy AS Detail,
        NULL AS Progress, NULL AS LogTail
    FROM item i
    UNION ALL
    SELECT 2, a.FinishedAt, 'attempt ' || CAST(a.AttemptNumber AS VARCHAR(10)) || ': ' || a.Outcome, a.WorkerName, a.Host,
        CASE WHEN a.Step IS NULL THEN a.Error ELSE 'step ' || a.Step || COALESCE(': ' || a.Error, '') END,
        a.Progress, a.LogTail
    FROM BotWorkItemAttempts a JOIN item i ON i.Id = a.ItemId
    UNION ALL
    SELECT 3, i.AssignedAt, 'assigned', i.WorkerName, i.WorkerHost, NULL, NULL, NULL
    FROM item i WHERE i.AssignedAt IS NOT NULL
    UNION ALL
    SELECT 4, i.StartedAt, 'started', i.WorkerName, i.WorkerHost,
        CASE WHEN i.State = 1 AND i.Step IS NOT NULL THEN 'at step ' || i.Step END,
        CASE WHEN i.State = 1 THEN i.Progress END, CASE WHEN i.State = 1 THEN i.LogTail END
    FROM item i WHERE i.StartedAt IS NOT NULL AND i.State IN (1, 2, 3)
    UNION ALL
    SELECT 5, i.FinishedAt, i.StateName, i.WorkerName, i.WorkerHost, i.Error, i.Progress, i.LogTail
    FROM item i WHERE i.FinishedAt IS NOT NULL
) h
ORDER BY h.HappenedAt, h.Step;
