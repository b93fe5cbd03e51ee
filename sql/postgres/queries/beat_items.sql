-- beat_items: renew the leases of all that a worker holds, and record which runs have begun.
-- In:  worker, lease_ms, rows [{ItemId, ItemFence}], begun [{ItemId, ItemFence}] (some of rows), now (NULL: the database clock)
-- Out: ids and fences of what was renewed; the others are lost.
-- Rows are locked in the order of the batch, which is that of ids: a join follows the
-- order of whichever side the planner picks, and two statements would wait for each other.
-- What another has got since is left alone: a pass that frees and assigns locks in two
-- statements, and would wait for this one, which waits for it.
-- CASE has each row found by its key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint)
    -- include: lock_rows
)
UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = {{now_plus ms=CAST(@lease_ms AS bigint)}},
    "BegunFence" = CASE WHEN ("Id", "Fence") IN (SELECT b."ItemId", b."ItemFence" FROM json_to_recordset(CAST(@begun AS json)) AS b("ItemId" bigint, "ItemFence" bigint))
        THEN "Fence" ELSE "BegunFence" END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker THEN TRUE ELSE FALSE END
RETURNING "Id", "Fence";
