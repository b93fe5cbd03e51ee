-- release_withheld: release assigned items that no claim can start. They would count as work of
-- their workers while a queue is paused.
-- CASE hides the conditions from the planner: see take.
-- In:  rows [{ItemId}], now (NULL: the database clock)
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint)
    -- include: lock_rows condition=i."State" = 5
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 0,
    "Scheduled" = "Scheduled" OR "AvailableAt" > {{now}},
    "WorkerId" = NULL,
    "AssignedAt" = NULL,
    "LeaseExpiresAt" = NULL,
    "FinishedAt" = NULL
FROM j
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" = 5 AND ("AvailableAt" > {{now}}
    OR "DeletedAt" IS NOT NULL
    OR "QueueName" IN (SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots')) THEN TRUE ELSE FALSE END;
