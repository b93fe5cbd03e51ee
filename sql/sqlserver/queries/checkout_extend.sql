-- checkout_extend: renew the leases of checkouts.
-- Only while the robot holds the item by the lock key, its lease has not run out, and it may read the queue.
-- In:  rows [{ItemId, ItemFence, ByRobot, ByKey (its lock key, a hash)}], each item once, lease_ms (NULL: those of the queues),
--      now (NULL: the database clock)
-- Out: ids and fences of the renewed items, with the ends of their leases; the others are lost, or another session
--      holds their rows.
UPDATE t SET
    LeaseExpiresAt = {{now_plus ms=COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = t.QueueName), 600000)}}
OUTPUT inserted.Id, inserted.Fence, inserted.LeaseExpiresAt
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 1 AND WorkerId IS NULL AND LeaseExpiresAt >= {{now}}
  AND t.Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', ByRobot NVARCHAR(450) '$.ByRobot', ByKey NVARCHAR(450) '$.ByKey') j
              WHERE j.ItemId = t.Id AND j.ItemFence = t.Fence AND j.ByRobot = t.Robot AND j.ByKey = t.LockKey
                AND EXISTS (SELECT 1 FROM BotQueues q
                    WHERE q.Name = t.QueueName
                      {{robot_may_read robot=j.ByRobot}}));
