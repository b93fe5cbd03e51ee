-- checkout_extend: the lease of a checkout ends this long from now.
-- Only while the robot holds the item by the lock key and may read the queue.
-- In:  id, robot, fence, lock_key (a hash), lease_ms (NULL: as the queue says), now (NULL: the database clock)
-- Out: the end of the lease; nothing when it was lost.
UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = {{now_plus ms=COALESCE(CAST(@lease_ms AS bigint), (SELECT q."CheckoutMs" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 600000)}}
WHERE "Id" = @id AND "State" = 1 AND "WorkerId" IS NULL AND "Fence" = @fence
  AND "Robot" = CAST(@robot AS text) AND "LockKey" = CAST(@lock_key AS text) AND "LeaseExpiresAt" >= {{now}}
  AND EXISTS (SELECT 1 FROM "BotQueues" q
      WHERE q."Name" = "BotWorkQueueItems"."QueueName"
        AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
            WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(@robot AS text) AND r."CanRead")))
RETURNING "LeaseExpiresAt";
