-- series_expire: remove the sums of periods that are no longer kept.
-- In:  resolution, before, limit_rows
DELETE FROM BotStatistics
WHERE Id IN (
    SELECT s.Id FROM BotStatistics s
    WHERE s.Resolution = @resolution AND s.StartsAt < @before
    LIMIT CAST(@limit_rows AS INTEGER));
