SELECT i.Id
FROM BotWorkQueueItems i
WHERE i.State = 5 AND (i.AvailableAt > (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
    OR i.DeletedAt IS NOT NULL
    OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots')))
LIMIT CAST(@limit_rows AS INTEGER);
