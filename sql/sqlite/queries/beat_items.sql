-- beat_items: renew the leases of all items that a worker holds, and record which runs have
-- started.
-- In:  worker, lease_ms, rows [{ItemId, ItemFence}], begun [{ItemId, ItemFence}] (some of rows), now (NULL: the database clock)
-- Out: ids and fences of the renewed items; the others are lost.
UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = (SELECT {{now_plus ms=@lease_ms}}),
    BegunFence = CASE WHEN (Id, Fence) IN (SELECT json_extract(value, '$.ItemId'), json_extract(value, '$.ItemFence') FROM jsonb_each(@begun))
        THEN Fence ELSE BegunFence END
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = 1 AND WorkerId = @worker
RETURNING Id, Fence;
