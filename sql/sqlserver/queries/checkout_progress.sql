-- checkout_progress: how far the work on a checked-out item has come.
-- Only while the robot holds the item by the lock key and may read the queue.
-- In:  id, robot, fence, lock_key (a hash), progress, percent (NULL: as it was), now (NULL: the database clock)
-- Out: the id; nothing when the lease was lost.
UPDATE BotWorkQueueItems SET
    Progress = COALESCE(@progress, Progress),
    ProgressPercent = COALESCE(CAST(@percent AS INT), ProgressPercent)
OUTPUT inserted.Id
WHERE Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = CAST(@robot AS NVARCHAR(450)) AND LockKey = CAST(@lock_key AS NVARCHAR(450)) AND LeaseExpiresAt >= {{now}}
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = BotWorkQueueItems.QueueName
        AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
            WHERE r.QueueName = q.Name AND r.Robot = CAST(@robot AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2 AND r.CanRead = 1)));
