-- held: the claims of a batch that still hold their lease, without rows that another session holds. It runs in the transaction of the
-- statement that changes them. A fence never returns, so the set can only shrink between the two
-- statements, and equal counts mean equal sets.
-- In:  worker, instance (NULL: robots'), rows [{ItemId, ItemFence, ByRobot, ByKey (its lock key, a hash; NULL: a worker's)}],
--      now (NULL: the database clock)
-- Out: ids and fences of the claims that hold their lease, with the queue, when the run started,
--      the current time, the pipeline and the priority.
SELECT t.Id, t.Fence, t.QueueName, t.StartedAt, {{now}}, t.PipelineName, t.Priority
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', ByRobot NVARCHAR(450) '$.ByRobot', ByKey NVARCHAR(450) '$.ByKey') j ON j.ItemId = t.Id
WHERE t.State = 1 AND t.Fence = j.ItemFence
  AND (t.WorkerId = @worker AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)))
    OR t.WorkerId IS NULL AND t.Robot = j.ByRobot AND t.LockKey = j.ByKey);
