-- task_notify: mark cancelled items of tasks, so that each failure is notified once.
-- In:  rows [{ItemId}], now (NULL: the database clock)
-- Out: the ids of items that were not marked before.
UPDATE t SET
    TaskNotifiedAt = {{now}}
OUTPUT inserted.Id
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 3 AND TaskNotifiedAt IS NULL
  AND Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j);
