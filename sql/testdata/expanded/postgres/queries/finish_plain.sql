WITH j AS MATERIALIZED (
    SELECT r.* FROM unnest(CAST(@ids AS bigint[]), CAST(@fences AS bigint[]), CAST(@failures AS bigint[]), CAST(@hashes AS text[]),
        CAST(@outputs AS text[]), CAST(@kept_ms AS bigint[]), CAST(@took_ms AS bigint[]), CAST(@step_times AS text[]), CAST(@tails AS text[])) AS r("ItemId", "ItemFence", "Failures", "NewHash", "NewOutput", "KeepMs", "TookMs", "NewStepTimes", "NewTail")
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" = 1 THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
), done AS (
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 2,
    "RetryCount" = j."Failures",
    "FinishedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "StartedAt" = GREATEST("BotWorkQueueItems"."StartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - j."TookMs" * INTERVAL '1 millisecond'),
    "FirstStartedAt" = CASE WHEN "BotWorkQueueItems"."FirstStartedAt" < "BotWorkQueueItems"."StartedAt" THEN "BotWorkQueueItems"."FirstStartedAt" ELSE GREATEST("BotWorkQueueItems"."StartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - j."TookMs" * INTERVAL '1 millisecond') END,
    "LeaseExpiresAt" = NULL,
    "LockKey" = NULL,
    "Output" = j."NewOutput",
    "Step" = NULL,
    "PipelineHash" = COALESCE(j."NewHash", "BotWorkQueueItems"."PipelineHash"),
    "LogTail" = j."NewTail",
    "StepTimes" = COALESCE(j."NewStepTimes", "BotWorkQueueItems"."StepTimes"),
    "Error" = NULL,
    "ErrorKind" = NULL,
    "RetainUntil" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."KeepMs" * INTERVAL '1 millisecond'
FROM j
WHERE "Id" = ANY (ARRAY(SELECT k."ItemId" FROM j k)) AND "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
RETURNING "Id", "Fence", "QueueName", CASE WHEN length("IntegrationConfig") <= 200 THEN "IntegrationConfig" ELSE '' END AS "Pipeline",
    CASE WHEN "Priority" > 1000 THEN 2 WHEN "Priority" >= 500 THEN 1 ELSE 0 END AS "Band", date_bin('1 minute', "StartedAt", '2000-01-01 00:00:00+00') AS "StartedIn",
    GREATEST(ROUND(date_part('epoch', "StartedAt" - "AvailableAt") * 1000), 0) AS "WaitMs",
    GREATEST(ROUND(date_part('epoch', CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - "StartedAt") * 1000), 0) AS "TookMs"
), classed AS (
    SELECT d."QueueName", d."Pipeline", d."Band", d."StartedIn", d."Bucket", d."WaitBucket", COUNT(*) AS "Events", SUM(d."TookMs") AS "TookMs", SUM(d."WaitMs") AS "WaitMs"
    FROM (SELECT d."QueueName", d."Pipeline", d."Band", d."StartedIn", d."TookMs", d."WaitMs",
            CASE WHEN d."TookMs" IS NULL THEN -1 WHEN d."TookMs" < 1 THEN 0 ELSE LEAST(CAST(CEIL(LN(CAST(d."TookMs" AS double precision)) / LN(CAST(1.1 AS double precision))) AS int), 298) + 1 END AS "Bucket", CASE WHEN d."WaitMs" IS NULL THEN -1 WHEN d."WaitMs" < 1 THEN 0 ELSE LEAST(CAST(CEIL(LN(CAST(d."WaitMs" AS double precision)) / LN(CAST(1.1 AS double precision))) AS int), 298) + 1 END AS "WaitBucket"
          FROM done d) d
    GROUP BY GROUPING SETS (
        (d."QueueName", d."Bucket"),
        (d."QueueName", d."Pipeline", d."Band", d."Bucket"),
        (d."QueueName", d."Pipeline", d."Band", d."StartedIn", d."WaitBucket"))
), kept AS (
    INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
    SELECT c."QueueName", 'completed', CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), c."Bucket", c."Events", c."Events", c."TookMs"
    FROM classed c
    WHERE c."Pipeline" IS NULL
), counted AS (
    INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "WorkerId", "Event", "Bucket", "Events", "DurationMs")
    SELECT COALESCE(c."StartedIn", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))), c."QueueName", c."Pipeline", CASE c."Band" WHEN 2 THEN 'high' WHEN 1 THEN 'medium' ELSE 'low' END, CAST(@worker AS bigint),
        CASE WHEN c."Bucket" IS NULL THEN 'started' ELSE 'succeeded' END, COALESCE(c."Bucket", c."WaitBucket"), c."Events",
        CASE WHEN c."Bucket" IS NULL THEN c."WaitMs" ELSE c."TookMs" END
    FROM classed c
    WHERE c."Pipeline" IS NOT NULL
)
SELECT d."Id", d."Fence"
FROM done d;
