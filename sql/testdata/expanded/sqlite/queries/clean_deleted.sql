SELECT c.Id, c.Fence, c.State, CASE WHEN c.DeletedAt IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = c.Id)
FROM BotWorkQueueItems c
WHERE c.DeletedAt IS NOT NULL AND c.DeletedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND c.State IN (2, 3)
ORDER BY c.DeletedAt, c.Id
LIMIT CAST(@limit_rows AS INTEGER);
