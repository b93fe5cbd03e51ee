-- assign: give waiting items to workers. The plan may be older than a failure, a pause or
-- the end of a worker: what may not start now, and what is for a worker that takes
-- nothing any more, stays as it is.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
-- "State" + 0 has each row found by its key: the indexes of what waits are full of dead
-- entries in the middle of a drain.
UPDATE "BotWorkQueueItems" SET
    "State" = 5,
    "WorkerId" = j."HolderId",
    "AssignedAt" = {{now}},
    "RunOrder" = j."RunOrder",
    "AssignedEstimateMs" = j."EstimateMs",
    "Channel" = j."Channel"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "HolderId" bigint, "FromId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" IN (0, 4)
    AND "AvailableAt" <= {{now}}
    AND "DeletedAt" IS NULL
    AND ("DeadlineAt" IS NULL OR "DeadlineAt" >= {{now}})
    AND ("ExpiresAt" IS NULL OR "ExpiresAt" >= {{now}})
    AND "QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
    AND j."HolderId" IN (SELECT w."Id" FROM "BotWorkers" w
        WHERE w."State" = 'active' AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= {{now}})) THEN TRUE ELSE FALSE END;
