SELECT TOP (@limit_rows) c.Id
FROM (
    SELECT i.Id
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4, 5) AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.Id
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4, 5) AND i.ExpiresAt IS NOT NULL AND i.ExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND i.DeletedAt IS NULL
) c;
