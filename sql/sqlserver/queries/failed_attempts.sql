-- failed_attempts: failed attempts that ended in a period, and those whose worker died; the latest
-- first. Attempts that ended at until are included if their id is smaller than before_id.
-- In:  since, until, before_id (0: none), limit_rows, name_len and text_len (characters)
-- Out: id, item, queue, pipeline, step, error kind, error, worker, host, 1 if the worker died, end.
SELECT TOP (@limit_rows) a.Id, a.ItemId, i.QueueName, LEFT(i.IntegrationConfig, @name_len), a.Step, a.ErrorKind,
    LEFT(a.Error, @text_len), a.WorkerName, a.Host, CASE WHEN a.Outcome = N'rescued' THEN 1 ELSE 0 END, a.FinishedAt
FROM BotWorkItemAttempts a
JOIN BotWorkQueueItems i ON i.Id = a.ItemId
WHERE a.Outcome IN (N'failed', N'timeout', N'rescued')
  AND a.FinishedAt >= CAST(@since AS DATETIME2(3)) AND a.FinishedAt <= CAST(@until AS DATETIME2(3))
  AND (a.FinishedAt < CAST(@until AS DATETIME2(3)) OR a.Id < @before_id)
ORDER BY a.FinishedAt DESC, a.Id DESC;
