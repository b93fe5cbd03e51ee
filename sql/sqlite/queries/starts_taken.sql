-- starts_taken: record items that started without having been assigned: robots take them at once.
-- In:  rows [{ItemId, ItemFence}], now (NULL: the database clock)
INSERT INTO BotQueueStarts (QueueName, LimitKey, ItemId, Fence, StartedAt)
SELECT q.Name, i.LimitKey, i.Id, i.Fence - 1, {{now}}
FROM BotWorkQueueItems i
JOIN (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence FROM jsonb_each(@rows)) j ON j.ItemId = i.Id AND j.ItemFence = i.Fence
JOIN BotQueues q ON q.Name = i.QueueName
WHERE i.State = 1 AND (q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL);
