-- task_notify: take cancelled items of tasks, so that a failure is told of once.
-- In:  rows [{ItemId}], now (NULL: the database clock)
-- Out: the ids of those that nobody had taken.
-- CASE has the rows found by their keys, as in take.
UPDATE "BotWorkQueueItems" SET
    "TaskNotifiedAt" = {{now}}
WHERE CASE WHEN "State" = 3 AND "TaskNotifiedAt" IS NULL THEN TRUE ELSE FALSE END
  AND "Id" IN (SELECT j."ItemId" FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint))
RETURNING "Id";
