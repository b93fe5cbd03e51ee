-- gauge_read: the samples of a time by period: of queues and bands (an empty kind), of the items of a pipeline by
-- queue and band, or of workers. Two rows of a period are of the whole cluster and count its samples: that with neither a
-- kind nor a queue, and that of the kind slots, which counts those of pipelines and workers.
-- In:  resolution, since, until, kind, queue, band, name (NULL: any)
-- Out: start, kind, queue, band, name, samples, sum and maximum of waiting ones, longest wait, sum and maximum of running
--      ones, sum and maximum of offered slots.
SELECT g.StartsAt, g.Kind, g.QueueName, g.Band, g.Name, g.Samples, g.Waiting, g.MostWaiting, g.OldestMs, g.Running, g.MostRunning, g.Offered, g.MostOffered
FROM BotStatisticsGauges g
WHERE g.Resolution = CAST(@resolution AS NVARCHAR(10)) AND g.Kind IN (CAST(@kind AS NVARCHAR(10)), N'slots') AND g.StartsAt >= CAST(@since AS DATETIME2(3)) AND g.StartsAt < CAST(@until AS DATETIME2(3))
  AND (g.Kind = N'slots' OR g.Kind = N'' AND g.QueueName = N''
    OR (CAST(@queue AS NVARCHAR(200)) IS NULL OR g.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@band AS NVARCHAR(10)) IS NULL OR g.Band = CAST(@band AS NVARCHAR(10))) AND (CAST(@name AS NVARCHAR(200)) IS NULL OR g.Name = CAST(@name AS NVARCHAR(200))));
