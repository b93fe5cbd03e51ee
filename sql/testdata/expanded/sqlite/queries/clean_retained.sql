SELECT c.Id, c.Fence, c.State, CASE WHEN c.DeletedAt IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = c.Id)
FROM BotWorkQueueItems c
WHERE c.State = 2 AND c.DeletedAt IS NULL AND c.RetainUntil IS NOT NULL AND c.RetainUntil <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
ORDER BY c.RetainUntil, c.Id
LIMIT CAST(@limit_rows AS INTEGER);
