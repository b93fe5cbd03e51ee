-- checkout_extend: renew the leases of checkouts.
-- Only while the robot holds the item by the lock key, its lease has not run out, and it may read the queue.
-- In:  rows [{ItemId, ItemFence, ByRobot, ByKey (its lock key, a hash)}], each item once, lease_ms (NULL: those of the queues),
--      now (NULL: the database clock)
-- Out: ids and fences of the renewed items, with the ends of their leases; the others are lost, or another session
--      holds their rows.
-- Rows are locked in the order of the batch, and found by their keys, as in beat_items.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "ByRobot" text, "ByKey" text)
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" = 1
)
UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = {{now_plus ms=COALESCE(CAST(@lease_ms AS bigint), (SELECT q."CheckoutMs" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 600000)}}
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "State" = 1 AND "WorkerId" IS NULL AND "Fence" = j."ItemFence"
    AND "Robot" = j."ByRobot" AND "LockKey" = j."ByKey" AND "LeaseExpiresAt" >= {{now}} THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotQueues" q
      WHERE q."Name" = "BotWorkQueueItems"."QueueName"
        {{robot_may_read robot=j."ByRobot"}})
RETURNING "Id", "Fence", "LeaseExpiresAt";
