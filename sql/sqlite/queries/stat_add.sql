-- stat_add: insert what has happened in this transaction, or sums of earlier rows.
-- In:  rows [{QueueName, Kind, Tier, StartsAt (NULL: now), Bucket, Events, Level, DurationMs}], now (NULL: the database clock)
INSERT INTO BotQueueStats (QueueName, Kind, Tier, StartsAt, Bucket, Events, Level, DurationMs)
SELECT json_extract(value, '$.QueueName'), json_extract(value, '$.Kind'), json_extract(value, '$.Tier'),
    COALESCE(json_extract(value, '$.StartsAt'), {{now}}),
    json_extract(value, '$.Bucket'), json_extract(value, '$.Events'), json_extract(value, '$.Level'), json_extract(value, '$.DurationMs')
FROM jsonb_each(@rows);
