INSERT INTO BotEvents (At, Kind, QueueName, Pipeline, WorkerName, ItemId, Detail)
SELECT COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), j.Kind, j.Queue, j.Pipeline, j.Worker, j.Item, j.Detail
FROM OPENJSON(@rows) WITH (Kind NVARCHAR(MAX) '$.Kind', Queue NVARCHAR(MAX) '$.Queue', Pipeline NVARCHAR(MAX) '$.Pipeline', Worker NVARCHAR(MAX) '$.Worker', Item BIGINT '$.Item', Detail NVARCHAR(MAX) '$.Detail') j;
