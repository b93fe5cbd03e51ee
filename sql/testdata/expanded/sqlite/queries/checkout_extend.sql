UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', COALESCE(@lease_ms, (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 600000) / 1000.0))
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
        json_extract(value, '$.ByRobot') AS ByRobot, json_extract(value, '$.ByKey') AS ByKey
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State = 1 AND WorkerId IS NULL AND Fence = j.ItemFence
  AND Robot = j.ByRobot AND LockKey = j.ByKey AND LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = BotWorkQueueItems.QueueName
        AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
            WHERE r.QueueName = q.Name AND r.Robot = j.ByRobot AND r.CanRead = 1)))
RETURNING Id, Fence, LeaseExpiresAt;
