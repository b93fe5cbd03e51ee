-- checkout_held: the robot holds the item by the lock key, its lease has not run out, and it may
-- read the queue.
-- A row that another session holds is passed over.
-- In:  id, fence, robot, lock_key (a hash), now (NULL: the database clock)
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = CAST(@robot AS NVARCHAR(450)) AND LockKey = CAST(@lock_key AS NVARCHAR(450)) AND LeaseExpiresAt >= {{now}}
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = t.QueueName
        {{robot_may_read robot=@robot}})
