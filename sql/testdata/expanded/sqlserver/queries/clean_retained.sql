SELECT TOP (@limit_rows) c.Id, c.Fence, c.State, CASE WHEN c.DeletedAt IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = c.Id)
FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE c.State = 2 AND c.DeletedAt IS NULL AND c.RetainUntil IS NOT NULL AND c.RetainUntil <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
ORDER BY c.RetainUntil, c.Id;
