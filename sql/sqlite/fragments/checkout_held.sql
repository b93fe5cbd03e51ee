-- checkout_held: the robot holds the item by the lock key, its lease has not run out, and it may
-- read the queue.
-- In:  id, fence, robot, lock_key (a hash), now (NULL: the database clock)
WHERE Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = @robot AND LockKey = @lock_key AND LeaseExpiresAt >= {{now}}
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = BotWorkQueueItems.QueueName
        {{robot_may_read robot=@robot}})
