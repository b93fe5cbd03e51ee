-- assign: give waiting items to workers.
-- In:  rows [{ItemId, HolderId}], now (NULL: the database clock)
UPDATE "BotWorkQueueItems" SET
    "State" = 5,
    "WorkerId" = j."HolderId",
    "AssignedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "HolderId" bigint)
WHERE "Id" = j."ItemId" AND "State" IN (0, 4);
