UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.HolderId') AS HolderId,
          json_extract(value, '$.FromId') AS FromId, json_extract(value, '$.RunOrder') AS RunOrder,
          json_extract(value, '$.EstimateMs') AS EstimateMs, json_extract(value, '$.Channel') AS Channel
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State IN (0, 4)
  AND AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
  AND DeletedAt IS NULL
  AND (DeadlineAt IS NULL OR DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
  AND (ExpiresAt IS NULL OR ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = j.HolderId AND w.State = 'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))));
