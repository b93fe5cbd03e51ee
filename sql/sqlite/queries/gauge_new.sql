-- gauge_new: insert the rows of a sample that do not exist yet.
-- In:  rows [{Res, Starts, Queue, BandName, Taken, Waits, Oldest, Runs}]
INSERT INTO BotStatisticsGauges (Resolution, StartsAt, QueueName, Band, Samples, Waiting, MostWaiting, OldestMs, Running, MostRunning)
SELECT j.Res, j.Starts, j.Queue, j.BandName, j.Taken, j.Waits, j.Waits, j.Oldest, j.Runs, j.Runs
FROM (SELECT json_extract(value, '$.Res') AS Res, json_extract(value, '$.Starts') AS Starts, json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.BandName') AS BandName, json_extract(value, '$.Taken') AS Taken, json_extract(value, '$.Waits') AS Waits, json_extract(value, '$.Oldest') AS Oldest, json_extract(value, '$.Runs') AS Runs
      FROM jsonb_each(@rows)) j
WHERE NOT EXISTS (SELECT 1 FROM BotStatisticsGauges g
    WHERE g.Resolution = j.Res AND g.StartsAt = j.Starts AND g.QueueName = j.Queue AND g.Band = j.BandName);
