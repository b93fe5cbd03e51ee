-- task_notify: mark cancelled items of tasks, so that each failure is notified once.
-- In:  rows [{ItemId}], now (NULL: the database clock)
-- Out: the ids of items that were not marked before.
-- CASE makes PostgreSQL find the rows by key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint)
    -- include: lock_rows condition=i."State" = 3
)
UPDATE "BotWorkQueueItems" SET
    "TaskNotifiedAt" = {{now}}
WHERE CASE WHEN "State" = 3 AND "TaskNotifiedAt" IS NULL THEN TRUE ELSE FALSE END
  AND "Id" IN (SELECT j."ItemId" FROM j)
RETURNING "Id";
