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
RETURNING "Id", "Fence", "QueueName", "StartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AS "EndedAt"
), timed AS (
    SELECT d."QueueName", d."EndedAt",
        COALESCE(GREATEST(CAST(ROUND(EXTRACT(EPOCH FROM d."EndedAt" - d."StartedAt") * 1000) AS bigint), 0), 0) AS "TookMs"
    FROM done d
), classed AS (
    SELECT t."QueueName", t."EndedAt", t."TookMs",
        CASE WHEN t."TookMs" < 1 THEN 0 ELSE LEAST(CAST(CEIL(LN(CAST(t."TookMs" AS double precision)) / LN(CAST(1.1 AS double precision))) AS int), 298) + 1 END AS "Bucket"
    FROM timed t
), kept AS (
    INSERT INTO "BotQueueStats" ("QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
    SELECT c."QueueName", 'completed', c."EndedAt", c."Bucket", COUNT(*), COUNT(*), SUM(c."TookMs")
    FROM classed c
    GROUP BY c."QueueName", c."EndedAt", c."Bucket"
)
SELECT d."Id", d."Fence"
FROM done d;
