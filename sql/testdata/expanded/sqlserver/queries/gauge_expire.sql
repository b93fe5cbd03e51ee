DELETE TOP (@limit_rows) FROM BotStatisticsGauges
WHERE Resolution = CAST(@resolution AS NVARCHAR(10)) AND StartsAt < CAST(@before AS DATETIME2(3));
