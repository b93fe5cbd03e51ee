-- withheld: assigned items that no claim can start although they have not expired: they were
-- postponed or deleted by hand since they were assigned, or their queue is paused or for robots.
-- In:  limit_rows, now (NULL: the database clock)
-- Out: ids, candidates for release_withheld, which repeats these conditions.
SELECT TOP (@limit_rows) i.Id
FROM BotWorkQueueItems i
WHERE i.State = 5 AND (i.AvailableAt > {{now}}
    OR i.DeletedAt IS NOT NULL
    OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots')));
