-- gauge_read: the samples of a time by period, queue and band. The row without a queue counts the samples.
-- In:  resolution, since, until, queue, band (NULL: any)
-- Out: start, queue, band, samples, sum and maximum of waiting ones, longest wait, sum and maximum of running ones.
SELECT g.StartsAt, g.QueueName, g.Band, g.Samples, g.Waiting, g.MostWaiting, g.OldestMs, g.Running, g.MostRunning
FROM BotStatisticsGauges g
WHERE g.Resolution = CAST(@resolution AS NVARCHAR(10)) AND g.StartsAt >= CAST(@since AS DATETIME2(3)) AND g.StartsAt < CAST(@until AS DATETIME2(3))
  AND (g.QueueName = N'' OR (CAST(@queue AS NVARCHAR(200)) IS NULL OR g.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@band AS NVARCHAR(10)) IS NULL OR g.Band = CAST(@band AS NVARCHAR(10))));
