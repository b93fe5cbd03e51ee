UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 0,
    Scheduled = CASE WHEN AvailableAt > (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))) THEN 1 ELSE Scheduled END,
    WorkerId = NULL,
    AssignedAt = NULL,
    LeaseExpiresAt = NULL,
    FinishedAt = NULL
WHERE Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows)) AND State = 5
  AND (AvailableAt > (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
    OR DeletedAt IS NOT NULL
    OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots')));
