-- stat_items: the queue and state of items, for the statistics. The rows are locked, in the order
-- of their ids, until the transaction that changes them ends.
-- In:  rows [{ItemId}]
-- Out: id, queue, state, 1 when it is deleted, pipeline, priority, worker, when its run started, it was due and ended,
--      and the kind of its error.
SELECT i.Id, i.QueueName, i.State, CASE WHEN i.DeletedAt IS NULL THEN 0 ELSE 1 END,
    i.PipelineName, i.Priority, i.WorkerId, i.StartedAt, i.AvailableAt, i.FinishedAt, i.ErrorKind
FROM BotWorkQueueItems i WITH (UPDLOCK, ROWLOCK)
WHERE i.Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j)
ORDER BY i.Id;
