UPDATE BotWorkQueueItems SET Scheduled = 0
WHERE State IN (0, 4) AND Scheduled = 1 AND Id IN (
    SELECT c.Id
    FROM BotWorkQueueItems c
    WHERE c.State IN (0, 4) AND c.Scheduled = 1 AND c.AvailableAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
    ORDER BY c.AvailableAt
    LIMIT CAST(@limit_rows AS INTEGER));
