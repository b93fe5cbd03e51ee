-- expire: cancel items that have not been started in time.
-- In:  rows [{ItemId}], deadline_text, life_text, now (NULL: the database clock)
-- Out: ids of what changed.
-- CASE has the rows found by their keys, as in take.
UPDATE "BotWorkQueueItems" SET
    "State" = 3,
    "ErrorKind" = 'expired',
    "Error" = CASE WHEN "DeadlineAt" < {{now}} THEN CAST(@deadline_text AS text) ELSE CAST(@life_text AS text) END,
    "FinishedAt" = {{now}},
    "LeaseExpiresAt" = NULL
WHERE "Id" IN (SELECT j."ItemId" FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint))
  AND CASE WHEN "State" IN (0, 4, 5) AND "DeletedAt" IS NULL
    AND ("DeadlineAt" < {{now}} OR "ExpiresAt" < {{now}}) THEN TRUE ELSE FALSE END
RETURNING "Id";
