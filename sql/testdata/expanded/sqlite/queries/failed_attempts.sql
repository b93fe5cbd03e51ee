SELECT a.Id, a.ItemId, i.QueueName, SUBSTR(i.IntegrationConfig, 1, CAST(@name_len AS INTEGER)), a.Step, a.ErrorKind,
    SUBSTR(a.Error, 1, CAST(@text_len AS INTEGER)), a.WorkerName, a.Host, CASE WHEN a.Outcome = 'rescued' THEN 1 ELSE 0 END, a.FinishedAt
FROM BotWorkItemAttempts a
CROSS JOIN BotWorkQueueItems i ON i.Id = a.ItemId
WHERE a.Outcome IN ('failed', 'timeout', 'rescued')
  AND a.FinishedAt >= @since AND a.FinishedAt <= @until AND (a.FinishedAt < @until OR a.Id < CAST(@before_id AS INTEGER))
ORDER BY a.FinishedAt DESC, a.Id DESC
LIMIT CAST(@limit_rows AS INTEGER);
