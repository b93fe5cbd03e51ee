-- assign: give waiting items to workers.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
-- "State" + 0 has each row found by its key: the indexes of what waits are full of dead
-- entries in the middle of a drain.
UPDATE "BotWorkQueueItems" SET
    "State" = 5,
    "WorkerId" = j."HolderId",
    "AssignedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "RunOrder" = j."RunOrder",
    "AssignedEstimateMs" = j."EstimateMs",
    "Channel" = j."Channel"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "HolderId" bigint, "FromId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
WHERE "Id" = j."ItemId" AND "State" + 0 IN (0, 4);
