SELECT g.StartsAt, g.Kind, g.QueueName, g.Band, g.Name, g.Samples, g.Waiting, g.MostWaiting, g.OldestMs, g.Running, g.MostRunning, g.Offered, g.MostOffered
FROM BotStatisticsGauges g
WHERE g.Resolution = CAST(@resolution AS NVARCHAR(10)) AND g.Kind IN (CAST(@kind AS NVARCHAR(10)), N'slots') AND g.StartsAt >= CAST(@since AS DATETIME2(3)) AND g.StartsAt < CAST(@until AS DATETIME2(3))
  AND (g.Kind = N'slots' OR g.Kind = N'' AND g.QueueName = N''
    OR (CAST(@queue AS NVARCHAR(200)) IS NULL OR g.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@band AS NVARCHAR(10)) IS NULL OR g.Band = CAST(@band AS NVARCHAR(10))) AND (CAST(@name AS NVARCHAR(200)) IS NULL OR g.Name = CAST(@name AS NVARCHAR(200))));
