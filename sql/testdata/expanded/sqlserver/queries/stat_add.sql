INSERT INTO BotQueueStats (QueueName, Kind, Tier, StartsAt, Bucket, Events, Level, DurationMs)
SELECT j.QueueName, j.Kind, j.Tier, COALESCE(j.StartsAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))),
    j.Bucket, j.Events, j.Level, j.DurationMs
FROM OPENJSON(@rows) WITH (QueueName NVARCHAR(200) '$.QueueName', Kind NVARCHAR(20) '$.Kind', Tier INT '$.Tier',
    StartsAt DATETIME2(3) '$.StartsAt', Bucket INT '$.Bucket', Events BIGINT '$.Events', Level BIGINT '$.Level',
    DurationMs BIGINT '$.DurationMs') j;
