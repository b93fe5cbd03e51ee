-- expire: cancel items that were not started in time. Those that are not kept are removed by expire_remove.
-- In:  rows [{ItemId}], finish_text, deadline_text, life_text, now (NULL: the database clock)
-- Out: ids of the changed items.
-- CASE makes PostgreSQL find the rows by key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint)
    -- include: lock_rows condition=i."State" IN (0, 4, 5)
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 3,
    "ErrorKind" = 'expired',
    "Error" = CASE WHEN "FinishBy" < {{now}} THEN CAST(@finish_text AS text) WHEN "DeadlineAt" < {{now}} THEN CAST(@deadline_text AS text) ELSE CAST(@life_text AS text) END,
    "FinishedAt" = {{now}},
    "LeaseExpiresAt" = NULL
WHERE "Id" IN (SELECT j."ItemId" FROM j)
  AND CASE WHEN "State" IN (0, 4, 5) AND "DeletedAt" IS NULL
    AND ("DeadlineAt" < {{now}} OR "ExpiresAt" < {{now}}) THEN TRUE ELSE FALSE END
RETURNING "Id";
