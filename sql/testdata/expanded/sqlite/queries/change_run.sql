UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = CASE WHEN State = 4 THEN 4 ELSE 0 END,
    AvailableAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    Scheduled = 0,
    WorkerId = NULL,
    LeaseExpiresAt = NULL,
    AssignedAt = NULL,
    FinishedAt = NULL,
    RetainUntil = NULL,
    UniqueKey = CASE WHEN j.TakesKey = 1 THEN j.NewKey ELSE UniqueKey END,
    DeadlineAt = COALESCE(CASE WHEN DeadlineAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN DeadlineAt END, CASE WHEN FinishBy >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN FinishBy END),
    FinishBy = CASE WHEN FinishBy >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN FinishBy END,
    ExpiresAt = CASE WHEN ExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN ExpiresAt END
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
     json_extract(value, '$.OldState') AS OldState, json_extract(value, '$.Hidden') AS Hidden,
     json_extract(value, '$.TakesKey') AS TakesKey, json_extract(value, '$.NewKey') AS NewKey
 FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = j.OldState
  AND State IN (0, 2, 3, 4) AND DeletedAt IS NULL;
