UPDATE BotWorkQueueItems SET
    Progress = COALESCE(@progress, Progress),
    ProgressPercent = COALESCE(@percent, ProgressPercent)
WHERE Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = @robot AND LockKey = @lock_key AND LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = BotWorkQueueItems.QueueName
        AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
            WHERE r.QueueName = q.Name AND r.Robot = @robot AND r.CanRead = 1)))
RETURNING Id;
