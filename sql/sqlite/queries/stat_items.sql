-- stat_items: where items stand, for the statistics. Nobody else
-- writes while this transaction goes on.
-- In:  rows [{ItemId}], now (NULL: the database clock)
-- Out: id, queue, state, 1 when it is deleted, and when its last run began and
--      ended (now for one that is not finished).
SELECT i.Id, i.QueueName, i.State, CASE WHEN i.DeletedAt IS NULL THEN 0 ELSE 1 END, i.StartedAt,
    COALESCE(i.FinishedAt, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
FROM BotWorkQueueItems i
WHERE i.Id IN (SELECT json_extract(value, '$.ItemId') FROM json_each(@rows))
ORDER BY i.Id;
