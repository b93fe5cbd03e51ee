-- gauge_expire: remove the samples of periods that are no longer kept.
-- In:  resolution, before, limit_rows
DELETE FROM BotStatisticsGauges
WHERE rowid IN (
    SELECT s.rowid FROM BotStatisticsGauges s
    WHERE s.Resolution = @resolution AND s.StartsAt < @before
    LIMIT CAST(@limit_rows AS INTEGER));
