INSERT INTO BotStatisticsDeltas (At, QueueName, Pipeline, Band, Event, Events)
SELECT e.CreatedAt, e.QueueName, e.Pipeline, e.Band, N'enqueued', COUNT_BIG(*)
FROM (
    SELECT i.CreatedAt, i.QueueName, i.PipelineName AS Pipeline, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band
    FROM BotWorkQueueItems i
    WHERE i.Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j)
) e
GROUP BY e.CreatedAt, e.QueueName, e.Pipeline, e.Band;
