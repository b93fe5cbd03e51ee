-- series_enqueued: count items that this transaction has inserted, for the statistics over time.
-- In:  rows [{ItemId}]
INSERT INTO BotStatisticsDeltas (At, QueueName, Pipeline, Band, Event, Events)
SELECT e.CreatedAt, e.QueueName, e.Pipeline, e.Band, 'enqueued', COUNT(*)
FROM (
    SELECT i.CreatedAt, i.QueueName, {{pipeline_of config=i.IntegrationConfig}} AS Pipeline, {{band_of priority=i.Priority}} AS Band
    FROM BotWorkQueueItems i
    WHERE i.Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
) e
GROUP BY e.CreatedAt, e.QueueName, e.Pipeline, e.Band;
