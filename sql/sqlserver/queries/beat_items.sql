-- beat_items: renew the leases of all items that a worker holds, and record which runs have
-- started.
-- In:  worker, lease_ms, rows [{ItemId, ItemFence}], begun [{ItemId, ItemFence}] (some of rows), now (NULL: the database clock)
-- Out: ids and fences of the renewed items; the others are lost.
UPDATE t SET
    LeaseExpiresAt = {{now_plus ms=@lease_ms}},
    BegunFence = CASE WHEN EXISTS (SELECT 1 FROM OPENJSON(@begun) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') b
        WHERE b.ItemId = t.Id AND b.ItemFence = t.Fence) THEN Fence ELSE BegunFence END
OUTPUT inserted.Id, inserted.Fence
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 1 AND WorkerId = @worker
  AND t.Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = t.Id AND j.ItemFence = t.Fence);
