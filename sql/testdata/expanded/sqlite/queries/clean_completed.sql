SELECT c.Id, c.Fence, c.State, CASE WHEN c.DeletedAt IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = c.Id)
FROM BotWorkQueueItems c
WHERE c.State = 2 AND c.RetainUntil IS NULL AND c.DeletedAt IS NULL AND c.QueueName = @queue
  AND c.FinishedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
ORDER BY c.FinishedAt, c.Id
LIMIT CAST(@limit_rows AS INTEGER);
