DELETE TOP (@limit_rows) FROM BotStatisticsGauges
WHERE Resolution = CAST(@resolution AS NVARCHAR(10)) AND Kind IN (N'', N'pipeline', N'worker', N'slots') AND StartsAt < CAST(@before AS DATETIME2(3));
