UPDATE BotWorkQueueItems SET Scheduled = 0
WHERE State IN (0, 4) AND Scheduled = 1 AND Id IN (
    SELECT TOP (@limit_rows) c.Id
    FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.State IN (0, 4) AND c.Scheduled = 1 AND c.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
    ORDER BY c.AvailableAt);
