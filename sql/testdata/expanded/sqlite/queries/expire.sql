UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 3,
    ErrorKind = 'expired',
    Error = CASE WHEN FinishBy < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN @finish_text WHEN DeadlineAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN @deadline_text ELSE @life_text END,
    FinishedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    LeaseExpiresAt = NULL
WHERE Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
  AND State IN (0, 4, 5) AND DeletedAt IS NULL
  AND (DeadlineAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) OR ExpiresAt < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
RETURNING Id;
