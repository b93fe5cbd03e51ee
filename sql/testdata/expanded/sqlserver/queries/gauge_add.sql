UPDATE t SET
    Samples = t.Samples + j.Taken,
    Waiting = t.Waiting + j.Waits,
    MostWaiting = CASE WHEN t.MostWaiting > j.Waits THEN t.MostWaiting ELSE j.Waits END,
    OldestMs = CASE WHEN t.OldestMs > j.Oldest THEN t.OldestMs ELSE j.Oldest END,
    Running = t.Running + j.Runs,
    MostRunning = CASE WHEN t.MostRunning > j.Runs THEN t.MostRunning ELSE j.Runs END,
    Offered = t.Offered + j.Offers,
    MostOffered = CASE WHEN t.MostOffered > j.Offers THEN t.MostOffered ELSE j.Offers END
FROM BotStatisticsGauges t
JOIN OPENJSON(@rows) WITH (Res NVARCHAR(10) '$.Res', Starts DATETIME2(3) '$.Starts', What NVARCHAR(10) '$.What', Queue NVARCHAR(200) '$.Queue', BandName NVARCHAR(10) '$.BandName', Named NVARCHAR(200) '$.Named', Taken BIGINT '$.Taken', Waits BIGINT '$.Waits', Oldest BIGINT '$.Oldest', Runs BIGINT '$.Runs', Offers BIGINT '$.Offers') j
  ON t.Resolution = j.Res AND t.Kind = j.What AND t.StartsAt = j.Starts AND t.QueueName = j.Queue AND t.Band = j.BandName AND t.Name = j.Named;
