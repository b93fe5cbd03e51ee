-- gauge_expire: remove the samples of periods that are no longer kept.
-- The kinds are named for the index.
-- In:  resolution, before, limit_rows
DELETE TOP (@limit_rows) FROM BotStatisticsGauges
WHERE Resolution = CAST(@resolution AS NVARCHAR(10)) AND Kind IN (N'', N'pipeline', N'worker', N'slots') AND StartsAt < CAST(@before AS DATETIME2(3));
