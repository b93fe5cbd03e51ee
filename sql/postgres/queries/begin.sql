-- begin: record that the runs of claimed items start now. Items that may no longer start do not
-- change: the lease was lost or has ended, the deadline or the lifetime has passed, the item is
-- deleted, or its queue is paused. Runs that have already started do not change either.
-- In:  worker, instance, rows [{ItemId, ItemFence}], now (NULL: the database clock)
-- Out: ids and fences of the started items; the others are refused.
-- FirstStartedAt is from this claim if it is not before StartedAt, which the claim has set.
-- Rows are locked in the order of the batch, and found by their keys, as in beat_items.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint)
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" = 1
)
UPDATE "BotWorkQueueItems" SET
    "BegunFence" = "Fence",
    "StartedAt" = CASE WHEN "BegunFence" = "Fence" THEN "StartedAt" ELSE {{now}} END,
    "FirstStartedAt" = CASE WHEN "BegunFence" = "Fence" OR "FirstStartedAt" < "StartedAt" THEN "FirstStartedAt" ELSE {{now}} END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker
    AND ("BegunFence" = "Fence"
      OR "LeaseExpiresAt" >= {{now}} AND "DeletedAt" IS NULL
        AND ("DeadlineAt" IS NULL OR "DeadlineAt" >= {{now}})
        AND ("ExpiresAt" IS NULL OR "ExpiresAt" >= {{now}})
        AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."Paused")) THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
RETURNING "Id", "Fence";
