-- checkout_extend: renew the leases of checkouts.
-- Only while the robot holds the item by the lock key, its lease has not run out, and it may read the queue.
-- In:  rows [{ItemId, ItemFence, ByRobot, ByKey (its lock key, a hash)}], each item once, lease_ms (NULL: those of the queues),
--      now (NULL: the database clock)
-- Out: ids and fences of the renewed items, with the ends of their leases; the others are lost.
UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = {{now_plus ms=COALESCE(@lease_ms, (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName), 600000)}}
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
        json_extract(value, '$.ByRobot') AS ByRobot, json_extract(value, '$.ByKey') AS ByKey
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State = 1 AND WorkerId IS NULL AND Fence = j.ItemFence
  AND Robot = j.ByRobot AND LockKey = j.ByKey AND LeaseExpiresAt >= {{now}}
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = BotWorkQueueItems.QueueName
        {{robot_may_read robot=j.ByRobot}})
RETURNING Id, Fence, LeaseExpiresAt;
