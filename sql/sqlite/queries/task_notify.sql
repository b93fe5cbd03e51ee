-- task_notify: take cancelled items of tasks, so that a failure is told of once.
-- In:  rows [{ItemId}], now (NULL: the database clock)
-- Out: the ids of those that nobody had taken.
UPDATE BotWorkQueueItems SET
    TaskNotifiedAt = {{now}}
WHERE State = 3 AND TaskNotifiedAt IS NULL
  AND Id IN (SELECT j.ItemId FROM (SELECT json_extract(value, '$.ItemId') AS ItemId
      FROM jsonb_each(@rows)) j)
RETURNING Id;
