-- checkout_extend: renew the lease of a checkout.
-- Only while the robot holds the item by the lock key and may read the queue.
-- In:  id, robot, fence, lock_key (a hash), lease_ms (NULL: the queue's), now (NULL: the database clock)
-- Out: the end of the lease; no row if it was lost.
UPDATE t SET
    LeaseExpiresAt = {{now_plus ms=COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = t.QueueName), 600000)}}
OUTPUT inserted.LeaseExpiresAt
{{checkout_held}};
