UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = CASE WHEN State IN (0, 4, 5) THEN 3 ELSE State END,
    FinishedAt = COALESCE(FinishedAt, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    LeaseExpiresAt = NULL,
    UniqueKey = CASE WHEN EXISTS (SELECT 1 FROM BotQueues q
        WHERE q.Name = BotWorkQueueItems.QueueName AND q.DeletedKeysCount = 1) THEN UniqueKey END,
    DeletedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    DeletedReason = @reason
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
     json_extract(value, '$.OldState') AS OldState
 FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = j.OldState
  AND State <> 1 AND DeletedAt IS NULL
  AND EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND q.Deletion = 'logical')
  AND (@natural_key IS NULL OR NaturalKey = @natural_key)
  AND (@author IS NULL OR CreatedBy = @author);
