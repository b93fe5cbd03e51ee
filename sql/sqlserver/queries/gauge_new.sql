-- gauge_new: insert the rows of a sample that do not exist yet.
-- In:  rows [{Res, Starts, What, Queue, BandName, Named, Taken, Waits, Oldest, Runs, Offers}]
INSERT INTO BotStatisticsGauges (Resolution, StartsAt, Kind, QueueName, Band, Name, Samples, Waiting, MostWaiting, OldestMs, Running, MostRunning, Offered, MostOffered)
SELECT j.Res, j.Starts, j.What, j.Queue, j.BandName, j.Named, j.Taken, j.Waits, j.Waits, j.Oldest, j.Runs, j.Runs, j.Offers, j.Offers
FROM OPENJSON(@rows) WITH (Res NVARCHAR(10) '$.Res', Starts DATETIME2(3) '$.Starts', What NVARCHAR(10) '$.What', Queue NVARCHAR(200) '$.Queue', BandName NVARCHAR(10) '$.BandName', Named NVARCHAR(200) '$.Named', Taken BIGINT '$.Taken', Waits BIGINT '$.Waits', Oldest BIGINT '$.Oldest', Runs BIGINT '$.Runs', Offers BIGINT '$.Offers') j
WHERE NOT EXISTS (SELECT 1 FROM BotStatisticsGauges g
    WHERE g.Resolution = j.Res AND g.Kind = j.What AND g.StartsAt = j.Starts AND g.QueueName = j.Queue AND g.Band = j.BandName AND g.Name = j.Named);
