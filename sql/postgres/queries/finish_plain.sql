-- finish_plain: record the ends of runs that succeeded and set only their output and log. It has the effect
-- of finish at two thirds of the cost: arrays are read faster than JSON, and most columns do not
-- change.
-- In:  worker, instance, and for each end, in the order of ids: ids, fences, failures, hashes (of the pipeline's
--      text; NULL: none), outputs (NULL: none), kept_ms (NULL: until the clean-up),
--      took_ms (NULL: unknown), step_times (NULL: none), tails (the kept logs; NULL: none has one); now (NULL: the database clock)
-- Out: ids and fences of the changed items; the others had lost their lease.
-- Rows are locked, and the statistics updated, as in finish. The planner knows the lengths of arrays, and for long
-- ones would read the whole table; ANY (ARRAY(…)) makes it find the rows by their keys. Each aggregate node costs the server about
-- 40 microseconds for a batch, however few rows it has, so one node makes the rows of both tables. The values that
-- it groups are computed in RETURNING: an expression of a subquery would be computed again for each use. date_part,
-- date_bin and numbers of bands are faster than EXTRACT, date_trunc and names, and as exact to the millisecond.
WITH j AS MATERIALIZED (
    SELECT r.* FROM unnest(CAST(@ids AS bigint[]), CAST(@fences AS bigint[]), CAST(@failures AS bigint[]), CAST(@hashes AS text[]),
        CAST(@outputs AS text[]), CAST(@kept_ms AS bigint[]), CAST(@took_ms AS bigint[]), CAST(@step_times AS text[]), CAST(@tails AS text[])) AS r("ItemId", "ItemFence", "Failures", "NewHash", "NewOutput", "KeepMs", "TookMs", "NewStepTimes", "NewTail")
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" = 1
), done AS (
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 2,
    "RetryCount" = j."Failures",
    "FinishedAt" = {{now}},
    "StartedAt" = GREATEST("BotWorkQueueItems"."StartedAt", {{now_minus ms=j."TookMs"}}),
    "FirstStartedAt" = CASE WHEN "BotWorkQueueItems"."FirstStartedAt" < "BotWorkQueueItems"."StartedAt" THEN "BotWorkQueueItems"."FirstStartedAt" ELSE GREATEST("BotWorkQueueItems"."StartedAt", {{now_minus ms=j."TookMs"}}) END,
    "LeaseExpiresAt" = NULL,
    "LockKey" = NULL,
    "Output" = j."NewOutput",
    "Step" = NULL,
    "PipelineHash" = COALESCE(j."NewHash", "BotWorkQueueItems"."PipelineHash"),
    "LogTail" = j."NewTail",
    "StepTimes" = COALESCE(j."NewStepTimes", "BotWorkQueueItems"."StepTimes"),
    "Error" = NULL,
    "ErrorKind" = NULL,
    "RetainUntil" = {{now_plus ms=j."KeepMs"}}
FROM j
WHERE "Id" = ANY (ARRAY(SELECT k."ItemId" FROM j k)) AND "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
RETURNING "Id", "Fence", "QueueName", {{pipeline_of config="IntegrationConfig"}} AS "Pipeline",
    CASE WHEN "Priority" > 1000 THEN 2 WHEN "Priority" >= 500 THEN 1 ELSE 0 END AS "Band", date_bin('1 minute', "StartedAt", '2000-01-01 00:00:00+00') AS "StartedIn",
    GREATEST(ROUND(date_part('epoch', "StartedAt" - "AvailableAt") * 1000), 0) AS "WaitMs",
    GREATEST(ROUND(date_part('epoch', {{now}} - "StartedAt") * 1000), 0) AS "TookMs"
), classed AS (
    SELECT d."QueueName", d."Pipeline", d."Band", d."StartedIn", d."Bucket", d."WaitBucket", COUNT(*) AS "Events", SUM(d."TookMs") AS "TookMs", SUM(d."WaitMs") AS "WaitMs"
    FROM (SELECT d."QueueName", d."Pipeline", d."Band", d."StartedIn", d."TookMs", d."WaitMs",
            {{duration_class ms=d."TookMs"}} AS "Bucket", {{duration_class ms=d."WaitMs"}} AS "WaitBucket"
          FROM done d) d
    GROUP BY GROUPING SETS (
        (d."QueueName", d."Bucket"),
        (d."QueueName", d."Pipeline", d."Band", d."Bucket"),
        (d."QueueName", d."Pipeline", d."Band", d."StartedIn", d."WaitBucket"))
), kept AS (
    INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
    SELECT c."QueueName", 'completed', {{now}}, c."Bucket", c."Events", c."Events", c."TookMs"
    FROM classed c
    WHERE c."Pipeline" IS NULL
), counted AS (
    INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "WorkerId", "Event", "Bucket", "Events", "DurationMs")
    SELECT COALESCE(c."StartedIn", {{now}}), c."QueueName", c."Pipeline", CASE c."Band" WHEN 2 THEN 'high' WHEN 1 THEN 'medium' ELSE 'low' END, CAST(@worker AS bigint),
        CASE WHEN c."Bucket" IS NULL THEN 'started' ELSE 'succeeded' END, COALESCE(c."Bucket", c."WaitBucket"), c."Events",
        CASE WHEN c."Bucket" IS NULL THEN c."WaitMs" ELSE c."TookMs" END
    FROM classed c
    WHERE c."Pipeline" IS NOT NULL
)
SELECT d."Id", d."Fence"
FROM done d;
