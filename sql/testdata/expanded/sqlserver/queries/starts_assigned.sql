INSERT INTO BotQueueStarts (QueueName, LimitKey, ItemId, Fence)
SELECT q.Name, i.LimitKey, i.Id, i.Fence
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK) JOIN BotQueues q ON q.Name = i.QueueName
WHERE i.State = 5 AND (q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM BotQueueStarts s
      WHERE s.StartedAt IS NULL AND s.ItemId = i.Id AND s.Fence = i.Fence);
