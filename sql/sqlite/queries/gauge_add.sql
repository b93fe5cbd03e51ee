-- gauge_add: add a sample to rows that exist.
-- In:  rows [{Res, Starts, What, Queue, BandName, Named, Taken, Waits, Oldest, Runs, Offers}]
UPDATE BotStatisticsGauges SET
    Samples = Samples + j.Taken,
    Waiting = Waiting + j.Waits,
    MostWaiting = MAX(MostWaiting, j.Waits),
    OldestMs = MAX(OldestMs, j.Oldest),
    Running = Running + j.Runs,
    MostRunning = MAX(MostRunning, j.Runs),
    Offered = Offered + j.Offers,
    MostOffered = MAX(MostOffered, j.Offers)
FROM (SELECT json_extract(value, '$.Res') AS Res, json_extract(value, '$.Starts') AS Starts, json_extract(value, '$.What') AS What, json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.BandName') AS BandName, json_extract(value, '$.Named') AS Named, json_extract(value, '$.Taken') AS Taken, json_extract(value, '$.Waits') AS Waits, json_extract(value, '$.Oldest') AS Oldest, json_extract(value, '$.Runs') AS Runs, json_extract(value, '$.Offers') AS Offers
      FROM jsonb_each(@rows)) j
WHERE Resolution = j.Res AND Kind = j.What AND StartsAt = j.Starts AND QueueName = j.Queue AND Band = j.BandName AND Name = j.Named;
