-- expire: cancel items that were not started in time. Those that are not kept are removed by expire_remove.
-- In:  rows [{ItemId}], finish_text, deadline_text, life_text, now (NULL: the database clock)
-- Out: ids of the changed items.
UPDATE t SET
    Version = Version + 1,
    State = 3,
    ErrorKind = N'expired',
    Error = CASE WHEN FinishBy < {{now}} THEN @finish_text WHEN DeadlineAt < {{now}} THEN @deadline_text ELSE @life_text END,
    FinishedAt = {{now}},
    LeaseExpiresAt = NULL
OUTPUT inserted.Id
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j)
  AND State IN (0, 4, 5) AND DeletedAt IS NULL
  AND (DeadlineAt < {{now}} OR ExpiresAt < {{now}});
