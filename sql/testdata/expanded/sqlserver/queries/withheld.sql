SELECT TOP (@limit_rows) i.Id
FROM BotWorkQueueItems i
WHERE i.State = 5 AND (i.AvailableAt > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
    OR i.DeletedAt IS NOT NULL
    OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots')));
