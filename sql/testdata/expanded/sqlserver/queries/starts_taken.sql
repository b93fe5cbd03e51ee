INSERT INTO BotQueueStarts (QueueName, LimitKey, ItemId, Fence, StartedAt)
SELECT q.Name, i.LimitKey, i.Id, i.Fence - 1, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM BotWorkQueueItems i
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j ON j.ItemId = i.Id AND j.ItemFence = i.Fence
JOIN BotQueues q ON q.Name = i.QueueName
WHERE i.State = 1 AND (q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL);
