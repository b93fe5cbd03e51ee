SELECT c.Id, c.Fence, c.State, CASE WHEN c.DeletedAt IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = c.Id)
FROM BotWorkQueueItems c
WHERE c.State = 3 AND c.DeletedAt IS NULL AND c.QueueName = @queue AND c.Id IN (
    SELECT e.Id FROM BotWorkQueueItems e
    WHERE e.State = 3 AND e.DeletedAt IS NULL AND e.QueueName = @queue
    ORDER BY e.FinishedAt DESC, e.Id DESC
    LIMIT CAST(@limit_rows AS INTEGER) OFFSET CAST(@keep AS INTEGER));
