INSERT INTO BotStatisticsDeltas (At, QueueName, Pipeline, Band, WorkerId, Event, Kind, Bucket, Events, DurationMs)
SELECT COALESCE(j.HappenedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))), j.Queue, j.Pipe, j.BandName, j.HolderId, j.Event, j.Kind, j.Bucket, j.Events, j.DurationMs
FROM OPENJSON(@rows) WITH (HappenedAt DATETIME2(3) '$[0]', Queue NVARCHAR(200) '$[1]', Pipe NVARCHAR(200) '$[2]',
    BandName NVARCHAR(10) '$[3]', HolderId BIGINT '$[4]', Event NVARCHAR(20) '$[5]', Kind NVARCHAR(50) '$[6]', Bucket INT '$[7]',
    Events BIGINT '$[8]', DurationMs BIGINT '$[9]') j;
