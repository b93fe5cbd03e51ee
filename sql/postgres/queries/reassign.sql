-- reassign: take items that have not started from their workers, and give them to
-- others. It does not count as a release. The conditions of assign.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
UPDATE "BotWorkQueueItems" SET
    "State" = 5,
    "WorkerId" = j."HolderId",
    "AssignedAt" = {{now}},
    "RunOrder" = j."RunOrder",
    "AssignedEstimateMs" = j."EstimateMs",
    "Channel" = j."Channel"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "HolderId" bigint, "FromId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" = 5 AND "WorkerId" = j."FromId"
    AND "AvailableAt" <= {{now}}
    AND "DeletedAt" IS NULL
    AND ("DeadlineAt" IS NULL OR "DeadlineAt" >= {{now}})
    AND ("ExpiresAt" IS NULL OR "ExpiresAt" >= {{now}})
    AND "QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
    AND j."HolderId" IN (SELECT w."Id" FROM "BotWorkers" w
        WHERE w."State" = 'active' AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= {{now}})) THEN TRUE ELSE FALSE END;
