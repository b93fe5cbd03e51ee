-- finish: record the ends of runs.
-- A run of known duration started that long before its end, but not before the claim or its
-- recorded start: until then the item waited in the worker's memory.
-- In:  worker, instance (NULL: ends by robots), rows [{ItemId, ItemFence, ByRobot, ByKey (its lock key, a hash; NULL: a worker's),
--      NewState, Failures, DelayMs, NewOutput, ErrorText, Kind, NewStep, NewProgress, NewPercent, NewHash, NewTail, NewStepTimes,
--      NewAnalytics, KeepMs, Hidden, TookMs (NULL: unknown),
--      Unbegun (1: released before the run started), Alone (1: it runs alone from now on), Completed, Failed, Stays, Happened [the events for the
--      statistics over time], DueAt}], now (NULL: the database clock)
-- Without DelayMs the item keeps AvailableAt; without NewOutput it keeps its output, until it
-- succeeds.
-- Out: ids and fences of the changed items, with the queue, when the run started and ended, the
--      pipeline and the priority; the others had lost their lease.
-- It updates the statistics in the same round trip: a separate statement would need a transaction,
-- and each end three more round trips. Bucket is the class of the duration: see
-- workqueue.DurationBucket.
-- CASE makes PostgreSQL find each row by its key, as in take: while the queue drains, the index of
-- running items is full of dead entries.
-- Rows are locked in the order of the batch, which is sorted by id: a join may use the order of
-- either side, and two statements could deadlock. Items that another worker has got meanwhile are
-- not locked: a pass rescues and assigns in two statements, and could deadlock with this one.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "ByRobot" text, "ByKey" text, "NewState" int, "Failures" int, "DelayMs" bigint, "NewOutput" text, "ErrorText" text,
    "Kind" text, "NewStep" text, "NewProgress" text, "NewPercent" int, "NewHash" text, "NewTail" text, "NewStepTimes" text, "NewAnalytics" text, "KeepMs" bigint, "Hidden" int, "TookMs" bigint, "Unbegun" int, "Alone" int, "Completed" int, "Failed" int, "Stays" text, "Happened" json, "DueAt" timestamptz)
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" = 1
), done AS (
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = j."NewState",
    "RetryCount" = j."Failures",
    "WorkerId" = CASE WHEN j."NewState" = 0 THEN NULL ELSE "BotWorkQueueItems"."WorkerId" END,
    "AssignedAt" = CASE WHEN j."NewState" = 0 THEN NULL ELSE "BotWorkQueueItems"."AssignedAt" END,
    "AvailableAt" = CASE WHEN j."NewState" = 0 AND j."DelayMs" IS NOT NULL THEN {{now_plus ms=j."DelayMs"}} ELSE "BotWorkQueueItems"."AvailableAt" END,
    "Scheduled" = CASE WHEN j."NewState" = 0 THEN COALESCE(j."DelayMs", 0) > 0 ELSE "BotWorkQueueItems"."Scheduled" END,
    "FinishedAt" = CASE WHEN j."NewState" = 0 THEN NULL ELSE {{now}} END,
    "StartedAt" = CASE WHEN j."Unbegun" = 1 THEN NULL ELSE GREATEST("BotWorkQueueItems"."StartedAt", {{now_minus ms=j."TookMs"}}) END,
    "FirstStartedAt" = CASE WHEN "BotWorkQueueItems"."FirstStartedAt" < "BotWorkQueueItems"."StartedAt" THEN "BotWorkQueueItems"."FirstStartedAt" WHEN j."Unbegun" = 1 THEN NULL ELSE GREATEST("BotWorkQueueItems"."StartedAt", {{now_minus ms=j."TookMs"}}) END,
    "LeaseExpiresAt" = NULL,
    "LockKey" = NULL,
    "BatchKey" = CASE WHEN j."Alone" = 1 THEN NULL ELSE "BotWorkQueueItems"."BatchKey" END,
    "Output" = CASE WHEN j."NewState" = 2 THEN j."NewOutput" ELSE COALESCE(j."NewOutput", "BotWorkQueueItems"."Output") END,
    "Analytics" = COALESCE(j."NewAnalytics", "BotWorkQueueItems"."Analytics"),
    "Step" = CASE WHEN j."NewState" <> 2 THEN COALESCE(j."NewStep", "BotWorkQueueItems"."Step") END,
    "Progress" = COALESCE(j."NewProgress", "BotWorkQueueItems"."Progress"),
    "ProgressPercent" = COALESCE(j."NewPercent", "BotWorkQueueItems"."ProgressPercent"),
    "PipelineHash" = COALESCE(j."NewHash", "BotWorkQueueItems"."PipelineHash"),
    "LogTail" = CASE WHEN j."NewState" = 2 THEN j."NewTail" ELSE COALESCE(j."NewTail", "BotWorkQueueItems"."LogTail") END,
    "StepTimes" = COALESCE(j."NewStepTimes", "BotWorkQueueItems"."StepTimes"),
    "Error" = j."ErrorText",
    "ErrorKind" = j."Kind",
    "RetainUntil" = {{now_plus ms=j."KeepMs"}},
    "UniqueKey" = CASE WHEN j."Hidden" = 1 AND NOT EXISTS (SELECT 1 FROM "BotQueues" q
        WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."DeletedKeysCount") THEN NULL ELSE "BotWorkQueueItems"."UniqueKey" END,
    "DeletedAt" = CASE WHEN j."Hidden" = 1 THEN {{now}} ELSE "BotWorkQueueItems"."DeletedAt" END,
    "DeletedReason" = CASE WHEN j."Hidden" = 1 THEN substr(j."ErrorText", 1, 1000) ELSE "BotWorkQueueItems"."DeletedReason" END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 THEN TRUE ELSE FALSE END
  AND ("WorkerId" = @worker AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
    OR "WorkerId" IS NULL AND "Robot" = j."ByRobot" AND "LockKey" = j."ByKey")
RETURNING "Id", "Fence", "QueueName", "StartedAt", {{now}} AS "EndedAt", j."Completed", j."Failed", j."Stays",
    {{pipeline_of config="IntegrationConfig"}} AS "Pipeline", "Priority", COALESCE(j."Kind", '') AS "Kind", j."Happened", j."DueAt"
), timed AS (
    SELECT d."QueueName", d."EndedAt", d."Completed", d."Failed", d."Stays",
        COALESCE(GREATEST(CAST(ROUND(EXTRACT(EPOCH FROM d."EndedAt" - d."StartedAt") * 1000) AS bigint), 0), 0) AS "TookMs"
    FROM done d
), classed AS (
    SELECT t."QueueName", t."EndedAt", t."Completed", t."Failed", t."Stays", t."TookMs",
        CASE WHEN t."TookMs" < 1 THEN 0 ELSE LEAST(CAST(CEIL(LN(CAST(t."TookMs" AS double precision)) / LN(CAST(1.1 AS double precision))) AS int), 298) + 1 END AS "Bucket"
    FROM timed t
), kept AS (
    INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
    SELECT k."QueueName", k."Kind", k."EndedAt", k."Bucket", COUNT(*), SUM(k."Level"), SUM(k."TookMs")
    FROM (
        SELECT c."QueueName", 'completed' AS "Kind", c."EndedAt", c."Bucket", CASE WHEN c."Stays" = 'completed' THEN 1 ELSE 0 END AS "Level", c."TookMs"
        FROM classed c WHERE c."Completed" = 1
        UNION ALL
        SELECT c."QueueName", 'failed', c."EndedAt", c."Bucket", 0, c."TookMs"
        FROM classed c WHERE c."Failed" = 1
        UNION ALL
        SELECT c."QueueName", c."Stays", c."EndedAt", 0, 1, 0
        FROM classed c WHERE c."Stays" IN ('archived', 'deleted')
    ) k
    GROUP BY k."QueueName", k."Kind", k."EndedAt", k."Bucket"
), counted AS (
    INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "WorkerId", "Event", "Kind", "Bucket", "Events", "DurationMs")
    SELECT e."At", e."QueueName", e."Pipeline", e."Band", CAST(@worker AS bigint), e."Event", e."Kind", e."Bucket", COUNT(*), COALESCE(SUM(e."Ms"), 0)
    FROM (
        SELECT h."At", h."QueueName", h."Pipeline", h."Band", h."Event", h."Kind", h."Ms", {{duration_class ms=h."Ms"}} AS "Bucket"
        FROM (
            SELECT CASE WHEN v."Event" = 'started' THEN date_trunc('minute', COALESCE(d."StartedAt", d."EndedAt")) ELSE d."EndedAt" END AS "At",
                d."QueueName", d."Pipeline", {{band_of priority=d."Priority"}} AS "Band", v."Event",
                CASE WHEN v."Event" IN ('failed', 'cancelled') THEN d."Kind" ELSE '' END AS "Kind",
                CASE v."Event"
                    WHEN 'started' THEN GREATEST(CAST(ROUND(EXTRACT(EPOCH FROM d."StartedAt" - d."DueAt") * 1000) AS bigint), CASE WHEN d."DueAt" IS NULL THEN NULL ELSE 0 END)
                    WHEN 'succeeded' THEN COALESCE(GREATEST(CAST(ROUND(EXTRACT(EPOCH FROM d."EndedAt" - d."StartedAt") * 1000) AS bigint), 0), 0)
                END AS "Ms"
            FROM done d
            CROSS JOIN LATERAL json_array_elements_text(d."Happened") AS v("Event")
        ) h
    ) e
    GROUP BY e."At", e."QueueName", e."Pipeline", e."Band", e."Event", e."Kind", e."Bucket"
)
SELECT d."Id", d."Fence", d."QueueName", d."StartedAt", d."EndedAt", d."Pipeline", d."Priority"
FROM done d;
