SELECT t.Id, t.Fence, t.QueueName, t.StartedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), t.PipelineName, t.Priority
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', ByRobot NVARCHAR(450) '$.ByRobot', ByKey NVARCHAR(450) '$.ByKey') j ON j.ItemId = t.Id
WHERE t.State = 1 AND t.Fence = j.ItemFence
  AND (t.WorkerId = @worker AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)))
    OR t.WorkerId IS NULL AND t.Robot = j.ByRobot AND t.LockKey = j.ByKey);
