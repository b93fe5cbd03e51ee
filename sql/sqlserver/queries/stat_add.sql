-- stat_add: insert what has happened in this transaction, or sums of earlier rows.
-- In:  rows [{QueueName, Kind, Tier, StartsAt (NULL: now), Bucket, Events, Level, DurationMs}], now (NULL: the database clock)
INSERT INTO BotQueueStats (QueueName, Kind, Tier, StartsAt, Bucket, Events, Level, DurationMs)
SELECT j.QueueName, j.Kind, j.Tier, COALESCE(j.StartsAt, {{now}}),
    j.Bucket, j.Events, j.Level, j.DurationMs
FROM OPENJSON(@rows) WITH (QueueName NVARCHAR(200) '$.QueueName', Kind NVARCHAR(20) '$.Kind', Tier INT '$.Tier',
    StartsAt DATETIME2(3) '$.StartsAt', Bucket INT '$.Bucket', Events BIGINT '$.Events', Level BIGINT '$.Level',
    DurationMs BIGINT '$.DurationMs') j;
