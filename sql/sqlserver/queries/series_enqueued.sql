-- series_enqueued: count items that this transaction has inserted, for the statistics over time.
-- In:  rows [{ItemId}]
INSERT INTO BotStatisticsDeltas (At, QueueName, Pipeline, Band, Event, Events)
SELECT e.CreatedAt, e.QueueName, e.Pipeline, e.Band, N'enqueued', COUNT_BIG(*)
FROM (
    SELECT i.CreatedAt, i.QueueName, i.PipelineName AS Pipeline, {{band_of priority=i.Priority}} AS Band
    FROM BotWorkQueueItems i
    WHERE i.Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j)
) e
GROUP BY e.CreatedAt, e.QueueName, e.Pipeline, e.Band;
