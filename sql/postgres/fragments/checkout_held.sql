-- checkout_held: the robot holds the item by the lock key, its lease has not run out, and it may
-- read the queue.
-- A row that another session holds is passed over.
-- In:  id, fence, robot, lock_key (a hash), now (NULL: the database clock)
WHERE "Id" = ANY (ARRAY(SELECT i."Id" FROM "BotWorkQueueItems" i WHERE i."Id" = @id FOR NO KEY UPDATE SKIP LOCKED)) AND "State" = 1 AND "WorkerId" IS NULL AND "Fence" = @fence
  AND "Robot" = CAST(@robot AS text) AND "LockKey" = CAST(@lock_key AS text) AND "LeaseExpiresAt" >= {{now}}
  AND EXISTS (SELECT 1 FROM "BotQueues" q
      WHERE q."Name" = "BotWorkQueueItems"."QueueName"
        {{robot_may_read robot=@robot}})
