INSERT INTO BotStatistics (Resolution, StartsAt, QueueName, Pipeline, Band, WorkerName, KeyHash, Figures)
SELECT j.Res, j.Starts, j.Queue, j.Pipe, j.BandName, j.Holder, j.Hash, j.Sums
FROM OPENJSON(@rows) WITH (Res NVARCHAR(10) '$.Res', Starts DATETIME2(3) '$.Starts', Queue NVARCHAR(200) '$.Queue',
    Pipe NVARCHAR(200) '$.Pipe', BandName NVARCHAR(10) '$.BandName', Holder NVARCHAR(400) '$.Holder', Hash NVARCHAR(64) '$.Hash',
    Sums NVARCHAR(MAX) '$.Sums') j;
