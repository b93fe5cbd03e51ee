UPDATE BotWorkQueueItems SET
    TimedKey = NULL,
    TimedUntil = NULL
WHERE State IN (2, 3) AND TimedUntil <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) AND Id IN (
    SELECT c.Id FROM BotWorkQueueItems c
    WHERE c.State IN (2, 3) AND c.TimedKey IS NOT NULL AND c.TimedUntil <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
    ORDER BY c.TimedUntil, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
