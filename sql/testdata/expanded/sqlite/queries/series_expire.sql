DELETE FROM BotStatistics
WHERE Id IN (
    SELECT s.Id FROM BotStatistics s
    WHERE s.Resolution = @resolution AND s.StartsAt < @before
    LIMIT CAST(@limit_rows AS INTEGER));
