-- by_hand: waiting items that were inserted by hand and to which the policies of their queues were
-- not applied yet, the oldest first.
-- In:  limit_rows
-- Out: id, fence, queue, priority, natural key, unique key, payload if the queue has a schema for it
SELECT TOP (@limit_rows) i.Id, i.Fence, i.QueueName, i.Priority, i.NaturalKey, i.UniqueKey,
    CASE WHEN EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.PayloadSchema IS NOT NULL) THEN i.Payload END
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
WHERE i.State IN (0, 4) AND i.PoliciesApplied = 0 AND i.Fence = 0 AND i.DeletedAt IS NULL
ORDER BY i.Id;
