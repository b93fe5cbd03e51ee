UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    LogTail = CASE WHEN State = 1 THEN COALESCE(LogTail, '') || @line ELSE LogTail END,
    State = 3,
    ErrorKind = 'cancelled',
    Error = @reason,
    FinishedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    LeaseExpiresAt = NULL,
    RetainUntil = NULL
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
     json_extract(value, '$.OldState') AS OldState
 FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = j.OldState
  AND State IN (0, 1, 4, 5) AND DeletedAt IS NULL
RETURNING Id;
