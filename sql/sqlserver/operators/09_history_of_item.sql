-- What happened to an item, in order? Assignment and start are those of the
-- present or last try; earlier tries are told by their attempts.
WITH item AS (
    SELECT i.Id, i.StateName, i.State, i.CreatedAt, i.CreatedBy, i.AssignedAt, i.StartedAt, i.FinishedAt, i.WorkerName, i.Error
    FROM BotWorkQueueItemsView i
    WHERE i.Id = 1 -- the item's id
)
SELECT h.HappenedAt, h.What, h.WorkerName, h.Detail
FROM (
    SELECT 1 AS Step, i.CreatedAt AS HappenedAt, N'created' AS What, NULL AS WorkerName, i.CreatedBy AS Detail
    FROM item i
    UNION ALL
    SELECT 2, a.FinishedAt, CONCAT(N'attempt ', CAST(a.AttemptNumber AS NVARCHAR(10)), N': ', a.Outcome), a.WorkerName,
        CASE WHEN a.Step IS NULL THEN a.Error ELSE CONCAT(N'step ', a.Step, N': ', COALESCE(a.Error, N'')) END
    FROM BotWorkItemAttempts a JOIN item i ON i.Id = a.ItemId
    UNION ALL
    SELECT 3, i.AssignedAt, N'assigned', i.WorkerName, NULL
    FROM item i WHERE i.AssignedAt IS NOT NULL
    UNION ALL
    SELECT 4, i.StartedAt, N'started', i.WorkerName, NULL
    FROM item i WHERE i.StartedAt IS NOT NULL AND i.State IN (1, 2, 3)
    UNION ALL
    SELECT 5, i.FinishedAt, i.StateName, i.WorkerName, i.Error
    FROM item i WHERE i.FinishedAt IS NOT NULL
) h
ORDER BY h.HappenedAt, h.Step;
