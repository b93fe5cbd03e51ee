WITH j AS MATERIALIZED (
    SELECT r.* FROM unnest(CAST(@ids AS bigint[]), CAST(@fences AS bigint[]), CAST(@failures AS bigint[]), CAST(@hashes AS text[]),
        CAST(@outputs AS text[]), CAST(@kept_ms AS bigint[]), CAST(@took_ms AS bigint[])) AS r("ItemId", "ItemFence", "Failures", "NewHash", "NewOutput", "KeepMs", "TookMs")
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" = 1 THEN TRUE ELSE FALSE END FOR UPDATE) l
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
    "LogTail" = NULL,
    "Error" = NULL,
    "ErrorKind" = NULL,
    "RetainUntil" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."KeepMs" * INTERVAL '1 millisecond'
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
RETURNING "Id", "Fence", "QueueName", "StartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AS "EndedAt", "AvailableAt", CASE WHEN length("IntegrationConfig") <= 200 THEN "IntegrationConfig" ELSE '' END AS "Pipeline", "Priority"
), timed AS (
    SELECT d."QueueName", d."EndedAt", d."Pipeline", CASE WHEN d."Priority" > 1000 THEN 'high' WHEN d."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band", date_trunc('minute', d."StartedAt") AS "StartedIn",
        GREATEST(CAST(ROUND(EXTRACT(EPOCH FROM d."StartedAt" - d."AvailableAt") * 1000) AS bigint), 0) AS "WaitMs",
        COALESCE(GREATEST(CAST(ROUND(EXTRACT(EPOCH FROM d."EndedAt" - d."StartedAt") * 1000) AS bigint), 0), 0) AS "TookMs"
    FROM done d
), classed AS (
    SELECT t.*,
        CASE WHEN t."TookMs" < 1 THEN 0 ELSE LEAST(CAST(CEIL(LN(CAST(t."TookMs" AS double precision)) / LN(CAST(1.1 AS double precision))) AS int), 298) + 1 END AS "Bucket"
    FROM timed t
), kept AS (
    INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
    SELECT c."QueueName", 'completed', c."EndedAt", c."Bucket", COUNT(*), COUNT(*), SUM(c."TookMs")
    FROM classed c
    GROUP BY c."QueueName", c."EndedAt", c."Bucket"
), counted AS (
    INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "WorkerId", "Event", "Bucket", "Events", "DurationMs")
    SELECT c."EndedAt", c."QueueName", c."Pipeline", c."Band", CAST(@worker AS bigint), 'succeeded', c."Bucket", COUNT(*), SUM(c."TookMs")
    FROM classed c
    GROUP BY c."EndedAt", c."QueueName", c."Pipeline", c."Band", c."Bucket"
    UNION ALL
    SELECT s."StartedIn", s."QueueName", s."Pipeline", s."Band", CAST(@worker AS bigint), 'started', s."Class", COUNT(*), SUM(s."WaitMs")
    FROM (SELECT c.*, CASE WHEN c."WaitMs" IS NULL THEN -1 WHEN c."WaitMs" < 1 THEN 0 ELSE LEAST(CAST(CEIL(LN(CAST(c."WaitMs" AS double precision)) / LN(CAST(1.1 AS double precision))) AS int), 298) + 1 END AS "Class" FROM classed c) s
    GROUP BY s."StartedIn", s."QueueName", s."Pipeline", s."Band", s."Class"
)
SELECT d."Id", d."Fence"
FROM done d;
