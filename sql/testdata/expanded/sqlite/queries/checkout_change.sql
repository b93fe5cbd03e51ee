UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    Metadata = CASE WHEN @sets_metadata = 1 THEN @metadata ELSE Metadata END,
    Tags = CASE WHEN @sets_tags = 1 THEN @tags ELSE Tags END,
    Priority = COALESCE(@priority, Priority),
    NaturalKey = CASE WHEN @sets_key = 1 THEN @natural_key ELSE NaturalKey END,
    UniqueKey = CASE WHEN @sets_key = 1 THEN @unique_key ELSE UniqueKey END
WHERE Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = @robot AND LockKey = @lock_key AND LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = BotWorkQueueItems.QueueName
        AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
            WHERE r.QueueName = q.Name AND r.Robot = @robot AND r.CanRead = 1)))
RETURNING Id;
