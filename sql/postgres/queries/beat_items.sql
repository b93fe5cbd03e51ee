-- beat_items: renew the leases of all that a worker holds.
-- In:  worker, lease_ms, rows [{ItemId, ItemFence}], now (NULL: the database clock)
-- Out: ids and fences of what was renewed; the others are lost.
UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond'
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint)
WHERE "Id" = j."ItemId" AND "Fence" = j."ItemFence" AND "State" + 0 = 1 AND "WorkerId" = @worker
RETURNING "Id", "Fence";
