SELECT TOP (@limit_rows) a.Id, a.ItemId, i.QueueName, LEFT(i.IntegrationConfig, @name_len), a.Step, a.ErrorKind,
    LEFT(a.Error, @text_len), a.WorkerName, a.Host, CASE WHEN a.Outcome = N'rescued' THEN 1 ELSE 0 END, a.FinishedAt
FROM BotWorkItemAttempts a
JOIN BotWorkQueueItems i ON i.Id = a.ItemId
WHERE a.Outcome IN (N'failed', N'timeout', N'rescued')
  AND a.FinishedAt >= CAST(@since AS DATETIME2(3)) AND a.FinishedAt <= CAST(@until AS DATETIME2(3))
  AND (a.FinishedAt < CAST(@until AS DATETIME2(3)) OR a.Id < @before_id)
ORDER BY a.FinishedAt DESC, a.Id DESC;
