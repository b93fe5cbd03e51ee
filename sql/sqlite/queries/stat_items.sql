-- stat_items: the queue and state of items, for the statistics. No other process writes during this
-- transaction.
-- In:  rows [{ItemId}]
-- Out: id, queue, state, 1 when it is deleted, pipeline, priority, worker, when its run started, it was due and ended,
--      and the kind of its error.
SELECT i.Id, i.QueueName, i.State, CASE WHEN i.DeletedAt IS NULL THEN 0 ELSE 1 END,
    {{pipeline_of config=i.IntegrationConfig}}, i.Priority, i.WorkerId, CAST(i.StartedAt AS TEXT), CAST(i.AvailableAt AS TEXT), CAST(i.FinishedAt AS TEXT), i.ErrorKind
FROM BotWorkQueueItems i
WHERE i.Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
ORDER BY i.Id;
