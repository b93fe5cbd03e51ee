-- task_notify: take cancelled items of tasks, so that a failure is told of once.
-- In:  rows [{ItemId}], now (NULL: the database clock)
-- Out: the ids of those that nobody had taken.
UPDATE BotWorkQueueItems SET
    TaskNotifiedAt = {{now}}
OUTPUT inserted.Id
WHERE State = 3 AND TaskNotifiedAt IS NULL
  AND Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j);
