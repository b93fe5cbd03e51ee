-- expire: cancel items that have not been started in time.
-- In:  rows [{ItemId}], deadline_text, life_text, now (NULL: the database clock)
-- Out: ids of what changed.
UPDATE BotWorkQueueItems SET
    State = 3,
    ErrorKind = N'expired',
    Error = CASE WHEN DeadlineAt < {{now}} THEN @deadline_text ELSE @life_text END,
    FinishedAt = {{now}},
    LeaseExpiresAt = NULL
OUTPUT inserted.Id
WHERE EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j WHERE j.ItemId = BotWorkQueueItems.Id)
  AND State IN (0, 4, 5) AND DeletedAt IS NULL
  AND (DeadlineAt < {{now}} OR ExpiresAt < {{now}});
