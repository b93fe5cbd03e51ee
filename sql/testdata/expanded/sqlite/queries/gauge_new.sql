INSERT INTO BotStatisticsGauges (Resolution, StartsAt, Kind, QueueName, Band, Name, Samples, Waiting, MostWaiting, OldestMs, Running, MostRunning, Offered, MostOffered)
SELECT j.Res, j.Starts, j.What, j.Queue, j.BandName, j.Named, j.Taken, j.Waits, j.Waits, j.Oldest, j.Runs, j.Runs, j.Offers, j.Offers
FROM (SELECT json_extract(value, '$.Res') AS Res, json_extract(value, '$.Starts') AS Starts, json_extract(value, '$.What') AS What, json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.BandName') AS BandName, json_extract(value, '$.Named') AS Named, json_extract(value, '$.Taken') AS Taken, json_extract(value, '$.Waits') AS Waits, json_extract(value, '$.Oldest') AS Oldest, json_extract(value, '$.Runs') AS Runs, json_extract(value, '$.Offers') AS Offers
      FROM jsonb_each(@rows)) j
WHERE NOT EXISTS (SELECT 1 FROM BotStatisticsGauges g
    WHERE g.Resolution = j.Res AND g.Kind = j.What AND g.StartsAt = j.Starts AND g.QueueName = j.Queue AND g.Band = j.BandName AND g.Name = j.Named);
