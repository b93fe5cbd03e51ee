INSERT INTO BotStatisticsGauges (Resolution, StartsAt, QueueName, Band, Samples, Waiting, MostWaiting, OldestMs, Running, MostRunning)
SELECT j.Res, j.Starts, j.Queue, j.BandName, j.Taken, j.Waits, j.Waits, j.Oldest, j.Runs, j.Runs
FROM OPENJSON(@rows) WITH (Res NVARCHAR(10) '$.Res', Starts DATETIME2(3) '$.Starts', Queue NVARCHAR(200) '$.Queue', BandName NVARCHAR(10) '$.BandName', Taken BIGINT '$.Taken', Waits BIGINT '$.Waits', Oldest BIGINT '$.Oldest', Runs BIGINT '$.Runs') j
WHERE NOT EXISTS (SELECT 1 FROM BotStatisticsGauges g
    WHERE g.Resolution = j.Res AND g.StartsAt = j.Starts AND g.QueueName = j.Queue AND g.Band = j.BandName);
