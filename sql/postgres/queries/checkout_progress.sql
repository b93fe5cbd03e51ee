-- checkout_progress: how far the work on a checked-out item has come.
-- Only while the robot holds the item by the lock key and may read the queue.
-- In:  id, robot, fence, lock_key (a hash), progress, percent (NULL: as it was), now (NULL: the database clock)
-- Out: the id; nothing when the lease was lost.
UPDATE "BotWorkQueueItems" SET
    "Progress" = COALESCE(CAST(@progress AS text), "Progress"),
    "ProgressPercent" = COALESCE(CAST(@percent AS int), "ProgressPercent")
WHERE "Id" = @id AND "State" = 1 AND "WorkerId" IS NULL AND "Fence" = @fence
  AND "Robot" = CAST(@robot AS text) AND "LockKey" = CAST(@lock_key AS text) AND "LeaseExpiresAt" >= {{now}}
  AND EXISTS (SELECT 1 FROM "BotQueues" q
      WHERE q."Name" = "BotWorkQueueItems"."QueueName"
        AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
            WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(@robot AS text) AND r."CanRead")))
RETURNING "Id";
