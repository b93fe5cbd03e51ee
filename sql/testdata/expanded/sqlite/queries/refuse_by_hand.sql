UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 3,
    Error = j.Reason,
    ErrorKind = j.Kind,
    FinishedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    LeaseExpiresAt = NULL,
    PoliciesApplied = 1
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
          json_extract(value, '$.Reason') AS Reason, json_extract(value, '$.Kind') AS Kind
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State IN (0, 4) AND PoliciesApplied = 0
RETURNING Id;
