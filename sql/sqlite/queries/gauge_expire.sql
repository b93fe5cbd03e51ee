-- gauge_expire: remove the samples of periods that are no longer kept.
-- The kinds are named for the index.
-- In:  resolution, before, limit_rows
DELETE FROM BotStatisticsGauges
WHERE rowid IN (
    SELECT s.rowid FROM BotStatisticsGauges s
    WHERE s.Resolution = @resolution AND s.Kind IN ('', 'pipeline', 'worker', 'slots') AND s.StartsAt < @before
    LIMIT CAST(@limit_rows AS INTEGER));
