INSERT INTO BotStatistics (Resolution, StartsAt, QueueName, Pipeline, Band, WorkerName, KeyHash, Figures)
SELECT json_extract(value, '$.Res'), json_extract(value, '$.Starts'), json_extract(value, '$.Queue'), json_extract(value, '$.Pipe'), json_extract(value, '$.BandName'), json_extract(value, '$.Holder'), json_extract(value, '$.Hash'), json_extract(value, '$.Sums')
FROM jsonb_each(@rows);
