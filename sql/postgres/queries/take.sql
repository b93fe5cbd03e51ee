-- take: give waiting items to a worker and lease them to it at once, as assign and
-- then claim would. The plan may be older than a failure, a snooze or a pause: what may
-- not start now stays as it is.
-- In:  worker, instance, rows [{ItemId, RunOrder, EstimateMs, Channel}], lease_ms, passes (NULL: whatever; else
--      nothing is taken unless so many passes have written), now (NULL: the database clock)
-- Out: the claimed rows in no order, without what is the same for all; the store sorts
--      them.
-- CASE hides the conditions from the planner: each row is found by its key, not by the indexes
-- of what waits, which are full of dead entries in the middle of a drain. Of a table that
-- nobody has analysed yet it would also guess that they leave one row, and read the batch
-- again for each row of the table. ARRAY has it look up the queues once for the statement; as a
-- condition of each row it would think that reading the whole table is cheaper.
-- Nothing is taken on a timeline that the epoch does not know of yet: a standby that was promoted
-- may lack claims, and their fences would come again.
UPDATE "BotWorkQueueItems" SET
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
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
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
