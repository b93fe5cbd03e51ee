-- checkout_progress: how far the work on a checked-out item has come.
-- Only while the robot holds the item by the lock key and may read the queue.
-- In:  id, robot, fence, lock_key (a hash), progress, percent (NULL: as it was), now (NULL: the database clock)
-- Out: the id; nothing when the lease was lost.
UPDATE BotWorkQueueItems SET
    Progress = COALESCE(@progress, Progress),
    ProgressPercent = COALESCE(@percent, ProgressPercent)
WHERE Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = @robot AND LockKey = @lock_key AND LeaseExpiresAt >= {{now}}
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = BotWorkQueueItems.QueueName
        AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
            WHERE r.QueueName = q.Name AND r.Robot = @robot AND r.CanRead = 1)))
RETURNING Id;
