SELECT c.Id
FROM (
    SELECT i.Id
    FROM BotWorkQueueItems i
    WHERE i.State NOT BETWEEN 1 AND 3 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
      AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.Id
    FROM BotWorkQueueItems i
    WHERE i.State NOT BETWEEN 1 AND 3 AND i.ExpiresAt IS NOT NULL AND i.ExpiresAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
      AND i.DeletedAt IS NULL
) c
LIMIT CAST(@limit_rows AS INTEGER);
