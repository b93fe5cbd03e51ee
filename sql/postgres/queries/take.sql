-- take: assign waiting items to a worker and lease them to it at once, like assign and then claim.
-- The plan may be older than a failure, a snooze or a pause: items that may not start now do not
-- change.
-- In:  worker, instance, rows [{ItemId, RunOrder, EstimateMs, Channel}], lease_ms, passes (NULL: any; else
--      nothing is taken unless exactly this many passes have written), now (NULL: the database clock)
-- Out: the claimed rows in any order, without columns that are the same for all; the store
--      sorts them.
-- CASE hides the conditions from the planner: each row is found by its key, not by the indexes of
-- waiting items, which are full of dead entries while the queue drains. In a table that was never
-- analyzed the planner would also guess that the conditions leave one row, and read the batch again
-- for each row of the table. ARRAY makes it read the queues once for the statement; with a
-- condition for each row it would consider reading the whole table cheaper.
-- It takes nothing on a timeline that the epoch does not match: a promoted standby may lack claims,
-- and would use their fences again.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
    -- include: lock_rows condition=i."State" IN (0, 4)
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 1,
    "Fence" = GREATEST("BotWorkQueueItems"."Fence", (SELECT e."Epoch" FROM "BotInstallation" e) * 1000000000) + 1,
    "WorkerId" = @worker,
    "AssignedAt" = {{now}},
    "RunOrder" = j."RunOrder",
    "AssignedEstimateMs" = j."EstimateMs",
    "Channel" = j."Channel",
    "StartedAt" = {{now}},
    "FirstStartedAt" = COALESCE("BotWorkQueueItems"."FirstStartedAt", {{now}}),
    -- include: new_attempt
    "LeaseExpiresAt" = {{now_plus ms=CAST(@lease_ms AS bigint)}}
FROM j
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" IN (0, 4)
    {{may_start row=}} THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w
      WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" = 'active')
  AND (CAST(@passes AS bigint) IS NULL OR EXISTS (SELECT 1 FROM "BotAssignmentMarks" m WHERE m."Name" = 'passes' AND m."Value" = @passes))
  -- include: timeline_known
RETURNING
    {{claimed_columns row="BotWorkQueueItems".}},
    {{claimed_too_large row="BotWorkQueueItems".}};
