UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    Priority = j.NewPriority,
    UniqueKey = COALESCE(UniqueKey, j.NewKey),
    ExpiresAt = COALESCE(ExpiresAt, CASE WHEN j.LifeMs IS NOT NULL THEN strftime('%Y-%m-%d %H:%M:%f', CreatedAt, printf('%+.3f seconds', j.LifeMs / 1000.0)) END),
    PoliciesApplied = 1
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence, json_extract(value, '$.NewPriority') AS NewPriority,
          json_extract(value, '$.NewKey') AS NewKey, json_extract(value, '$.LifeMs') AS LifeMs
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State IN (0, 4) AND PoliciesApplied = 0;
