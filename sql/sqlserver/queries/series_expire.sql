-- series_expire: remove the sums of periods that are no longer kept.
-- In:  resolution, before, limit_rows
DELETE t
FROM BotStatistics t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) s.Id FROM BotStatistics s WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    WHERE s.Resolution = CAST(@resolution AS NVARCHAR(10)) AND s.StartsAt < CAST(@before AS DATETIME2(3)));
