-- beat_items: renew the leases of all items that a worker holds, and record which runs have
-- started.
-- In:  worker, lease_ms, rows [{ItemId, ItemFence}], begun [{ItemId, ItemFence}] (some of rows), now (NULL: the database clock)
-- Out: ids and fences of the renewed items; the others are lost.
-- Rows are locked in the order of the batch, which is sorted by id: a join may use the order of
-- either side, and two statements could deadlock. Items that another worker has got meanwhile are
-- not locked: a pass rescues and assigns in two statements, and could deadlock with this one.
-- CASE makes PostgreSQL find each row by its key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint)
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" = 1
)
UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = {{now_plus ms=CAST(@lease_ms AS bigint)}},
    "BegunFence" = CASE WHEN ("Id", "Fence") IN (SELECT b."ItemId", b."ItemFence" FROM json_to_recordset(CAST(@begun AS json)) AS b("ItemId" bigint, "ItemFence" bigint))
        THEN "Fence" ELSE "BegunFence" END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker THEN TRUE ELSE FALSE END
RETURNING "Id", "Fence";
