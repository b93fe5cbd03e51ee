-- gauge_turn: insert the sample of the whole cluster for a minute. The process that inserts it takes the
-- samples of the queues. It has no queue.
-- In:  starts
INSERT INTO BotStatisticsGauges (Resolution, StartsAt, Kind, QueueName, Band, Name, Samples)
SELECT N'minute', CAST(@starts AS DATETIME2(3)), N'', N'', N'', N'', 1
WHERE NOT EXISTS (SELECT 1 FROM BotStatisticsGauges g
    WHERE g.Resolution = N'minute' AND g.StartsAt = CAST(@starts AS DATETIME2(3)) AND g.Kind = N'' AND g.QueueName = N'' AND g.Band = N'' AND g.Name = N'');
