-- expire: cancel items that have not been started in time.
-- In:  rows [{ItemId}], deadline_text, life_text, now (NULL: the database clock)
-- Out: ids of what changed.
UPDATE BotWorkQueueItems SET
    State = 3,
    ErrorKind = 'expired',
    Error = CASE WHEN DeadlineAt < {{now}} THEN @deadline_text ELSE @life_text END,
    FinishedAt = {{now}},
    LeaseExpiresAt = NULL
WHERE Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
  AND State IN (0, 4, 5) AND DeletedAt IS NULL
  AND (DeadlineAt < {{now}} OR ExpiresAt < {{now}})
RETURNING Id;
