-- gauge_add: add a sample to rows that exist.
-- In:  rows [{Res, Starts, Queue, BandName, Taken, Waits, Oldest, Runs}]
UPDATE BotStatisticsGauges SET
    Samples = Samples + j.Taken,
    Waiting = Waiting + j.Waits,
    MostWaiting = MAX(MostWaiting, j.Waits),
    OldestMs = MAX(OldestMs, j.Oldest),
    Running = Running + j.Runs,
    MostRunning = MAX(MostRunning, j.Runs)
FROM (SELECT json_extract(value, '$.Res') AS Res, json_extract(value, '$.Starts') AS Starts, json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.BandName') AS BandName, json_extract(value, '$.Taken') AS Taken, json_extract(value, '$.Waits') AS Waits, json_extract(value, '$.Oldest') AS Oldest, json_extract(value, '$.Runs') AS Runs
      FROM jsonb_each(@rows)) j
WHERE Resolution = j.Res AND StartsAt = j.Starts AND QueueName = j.Queue AND Band = j.BandName;
