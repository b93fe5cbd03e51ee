UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', COALESCE(@lease_ms, (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 600000) / 1000.0))
WHERE Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = @robot AND LockKey = @lock_key AND LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = BotWorkQueueItems.QueueName
        AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
            WHERE r.QueueName = q.Name AND r.Robot = @robot AND r.CanRead = 1)))
RETURNING LeaseExpiresAt;
