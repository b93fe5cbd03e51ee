-- join: let waiting items run together with an item that the worker has claimed, their leader: those
-- of its queue and pipeline with the same key, limit key and selectors, the most urgent first. The statement repeats all that
-- makes an item eligible now, gives each its own lease and raises its fence, and records the leader in all of them, also in
-- the leader itself. An item that a worker died with runs alone, and so does one that was inserted by hand and to which the
-- policies of its queue were not applied.
-- In:  worker, instance, leader, fence (of the leader's claim), limit_rows (without the leader), bytes (no more items are
--      taken than this much to read, without the leader), lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in any order, without columns that are the same for all, with the leader's; nothing if the worker
--      no longer holds the leader.
-- With SKIP LOCKED two leaders of one key do not wait for each other; the outer WHERE, which repeats what makes an item
-- eligible, makes it correct. CASE makes PostgreSQL find each row by its key, as in take.
-- It takes nothing on a timeline that the epoch does not match.
WITH leader AS MATERIALIZED (
    SELECT l."Id", l."QueueName", l."BatchKey", l."IntegrationConfig", l."LimitKey", l."Selectors", l."ReleaseCount"
    FROM "BotWorkQueueItems" l
    WHERE l."Id" = @leader AND l."Fence" = @fence AND l."State" = 1 AND l."WorkerId" = @worker
    FOR NO KEY UPDATE SKIP LOCKED
), candidates AS MATERIALIZED (
    SELECT c."Id", c."Priority", COALESCE(octet_length(c."Payload"), 0) + octet_length(c."IntegrationConfig") AS "Bytes"
    FROM "BotWorkQueueItems" c JOIN leader l ON c."QueueName" = l."QueueName" AND c."BatchKey" = l."BatchKey"
        AND c."IntegrationConfig" = l."IntegrationConfig" AND COALESCE(c."LimitKey", '') = COALESCE(l."LimitKey", '')
        AND COALESCE(c."Selectors", '') = COALESCE(l."Selectors", '')
    WHERE l."ReleaseCount" = 0
      AND c."BatchKey" IS NOT NULL AND c."State" IN (0, 1, 4, 5) AND c."State" IN (0, 4) AND c."ReleaseCount" = 0 AND (c."PoliciesApplied" OR c."Fence" > 0)
      -- include: may_start row=c.
    ORDER BY c."Priority" DESC, c."Id"
    LIMIT @limit_rows
    FOR NO KEY UPDATE OF c SKIP LOCKED
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "Fence" = CASE WHEN "State" = 1 THEN "Fence" ELSE GREATEST("Fence", (SELECT e."Epoch" FROM "BotInstallation" e) * 1000000000) + 1 END,
    "WorkerId" = @worker,
    "AssignedAt" = CASE WHEN "State" = 1 THEN "AssignedAt" ELSE {{now}} END,
    "AssignedEstimateMs" = CASE WHEN "State" = 1 THEN "AssignedEstimateMs" END,
    "Channel" = CASE WHEN "State" = 1 THEN "Channel" END,
    "StartedAt" = CASE WHEN "State" = 1 THEN "StartedAt" ELSE {{now}} END,
    "FirstStartedAt" = COALESCE("FirstStartedAt", {{now}}),
    "Step" = NULL,
    "Progress" = NULL,
    "ProgressPercent" = NULL,
    "PipelineHash" = NULL,
    "IdempotencyKey" = COALESCE("IdempotencyKey", {{random_key}}),
    "LogTail" = NULL,
    "StepTimes" = NULL,
    "BatchLeaderId" = @leader,
    "State" = 1,
    "LeaseExpiresAt" = {{now_plus ms=CAST(@lease_ms AS bigint)}}
WHERE "Id" = ANY (ARRAY(
    SELECT l."Id" FROM leader l
    UNION ALL
    SELECT b."Id"
    FROM (
        SELECT c."Id", SUM(c."Bytes") OVER (ORDER BY c."Priority" DESC, c."Id" ROWS UNBOUNDED PRECEDING) AS "Bytes"
        FROM candidates c) b
    WHERE b."Bytes" <= @bytes))
  AND CASE WHEN "Id" = @leader AND "State" = 1 AND "Fence" = @fence AND "WorkerId" = @worker THEN TRUE
    WHEN "State" IN (0, 4)
    {{may_start row=}} THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w
      WHERE w."Id" = @worker AND w."InstanceId" = @instance AND (w."State" = 'active' OR "BotWorkQueueItems"."State" = 1))
  -- include: timeline_known
RETURNING
    {{claimed_columns row="BotWorkQueueItems".}},
    {{claimed_too_large row="BotWorkQueueItems".}};
