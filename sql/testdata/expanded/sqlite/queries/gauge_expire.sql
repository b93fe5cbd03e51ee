DELETE FROM BotStatisticsGauges
WHERE rowid IN (
    SELECT s.rowid FROM BotStatisticsGauges s
    WHERE s.Resolution = @resolution AND s.Kind IN ('', 'pipeline', 'worker', 'slots') AND s.StartsAt < @before
    LIMIT CAST(@limit_rows AS INTEGER));
