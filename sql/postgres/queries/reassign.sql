-- reassign: take items that have not started from their workers, and give them to
-- others. Nobody counts that as a release.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
UPDATE "BotWorkQueueItems" SET
    "State" = 5,
    "WorkerId" = j."HolderId",
    "AssignedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "RunOrder" = j."RunOrder",
    "AssignedEstimateMs" = j."EstimateMs",
    "Channel" = j."Channel"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "HolderId" bigint, "FromId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
WHERE "Id" = j."ItemId" AND "State" + 0 = 5 AND "WorkerId" = j."FromId";
