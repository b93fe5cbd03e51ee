SELECT i.Id, i.Fence
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
JOIN BotWorkQueueItems i WITH (NOWAIT) ON i.Id = j.ItemId
WHERE i.State = 1 AND i.WorkerId = @worker AND i.Fence = j.ItemFence
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)));
