UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lease_ms / 1000.0))),
    BegunFence = CASE WHEN (Id, Fence) IN (SELECT json_extract(value, '$.ItemId'), json_extract(value, '$.ItemFence') FROM jsonb_each(@begun))
        THEN Fence ELSE BegunFence END
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = 1 AND WorkerId = @worker
RETURNING Id, Fence;
