-- Attempts that failed since midnight UTC, with the step and the item's present
-- state. An item that a person cancelled has no failed attempt; it is listed with the
-- reason that the person gave. Those that were deleted since have a part of their own, for its index.
SELECT a.FinishedAt, a.ItemId, a.AttemptNumber AS Attempt, a.Outcome, a.WorkerName, i.Pipeline, a.Step, a.ErrorKind, a.Error,
    i.StateName AS StateNow
FROM BotWorkItemAttempts a
JOIN BotWorkQueueItemsView i ON i.Id = a.ItemId
WHERE a.Outcome IN (N'failed', N'timeout', N'rescued')
  AND a.FinishedAt >= CAST(CAST(SYSUTCDATETIME() AS DATE) AS DATETIME2(3))
UNION ALL
SELECT i.FinishedAt, i.Id, i.RetryCount, N'cancelled', i.WorkerName, i.Pipeline, NULL, i.ErrorKind, i.Error, i.StateName
FROM BotWorkQueueItemsView i
WHERE i.State = 3 AND i.ErrorKind = N'cancelled'
  AND i.DeletedAt IS NULL
  AND i.FinishedAt >= CAST(CAST(SYSUTCDATETIME() AS DATE) AS DATETIME2(3))
UNION ALL
SELECT i.FinishedAt, i.Id, i.RetryCount, N'cancelled', i.WorkerName, i.Pipeline, NULL, i.ErrorKind, i.Error, i.StateName
FROM BotWorkQueueItemsView i
WHERE i.State = 3 AND i.ErrorKind = N'cancelled'
  AND i.DeletedAt >= CAST(CAST(SYSUTCDATETIME() AS DATE) AS DATETIME2(3))
  AND i.FinishedAt >= CAST(CAST(SYSUTCDATETIME() AS DATE) AS DATETIME2(3))
ORDER BY 1 DESC, 2;
