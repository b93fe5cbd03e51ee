-- assign_rows: the beginning of assign and of reassign: what they set, and the batch that it comes
-- from.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the database clock)
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "HolderId" bigint, "FromId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
    -- include: lock_rows condition=i."State" IN (0, 4, 5)
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 5,
    "WorkerId" = j."HolderId",
    "AssignedAt" = {{now}},
    "RunOrder" = j."RunOrder",
    "AssignedEstimateMs" = j."EstimateMs",
    "Channel" = j."Channel"
FROM j
WHERE "Id" = j."ItemId"
