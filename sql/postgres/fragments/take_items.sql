-- take_items: what take and take_free do. from is the batch, as j.
-- In:  worker, instance, rows [{ItemId, RunOrder, EstimateMs, Channel}], lease_ms, passes, now: see take
-- Parameters: from
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
FROM {{from}}
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" IN (0, 4)
    {{may_start row=}} THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w
      WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" = 'active')
  AND (CAST(@passes AS bigint) IS NULL OR EXISTS (SELECT 1 FROM "BotAssignmentMarks" m WHERE m."Name" = 'passes' AND m."Value" = @passes))
  -- include: timeline_known
RETURNING
    {{claimed_columns row="BotWorkQueueItems".}},
    {{claimed_too_large row="BotWorkQueueItems".}}
