UPDATE BotWorkQueueItems SET
    BegunFence = Fence,
    StartedAt = CASE WHEN BegunFence = Fence THEN StartedAt ELSE COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) END,
    FirstStartedAt = CASE WHEN BegunFence = Fence OR FirstStartedAt < StartedAt THEN FirstStartedAt ELSE COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) END
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = 1 AND WorkerId = @worker
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance)
  AND (BegunFence = Fence
    OR LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) AND DeletedAt IS NULL
      AND (DeadlineAt IS NULL OR DeadlineAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND (ExpiresAt IS NULL OR ExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND q.Paused = 1))
RETURNING Id, Fence;
