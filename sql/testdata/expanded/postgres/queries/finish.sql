WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "ByRobot" text, "ByKey" text, "NewState" int, "Failures" int, "DelayMs" bigint, "NewOutput" text, "ErrorText" text,
    "Kind" text, "NewStep" text, "NewProgress" text, "NewPercent" int, "NewHash" text, "NewTail" text, "NewStepTimes" text, "NewAnalytics" text, "KeepMs" bigint, "Hidden" int, "TookMs" bigint, "Unbegun" int, "Alone" int, "Completed" int, "Failed" int, "Stays" text, "Happened" json, "DueAt" timestamptz)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" = 1 THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
), done AS (
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = j."NewState",
    "RetryCount" = j."Failures",
    "WorkerId" = CASE WHEN j."NewState" = 0 THEN NULL ELSE "BotWorkQueueItems"."WorkerId" END,
    "AssignedAt" = CASE WHEN j."NewState" = 0 THEN NULL ELSE "BotWorkQueueItems"."AssignedAt" END,
    "AvailableAt" = CASE WHEN j."NewState" = 0 AND j."DelayMs" IS NOT NULL THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."DelayMs" * INTERVAL '1 millisecond' ELSE "BotWorkQueueItems"."AvailableAt" END,
    "Scheduled" = CASE WHEN j."NewState" = 0 THEN COALESCE(j."DelayMs", 0) > 0 ELSE "BotWorkQueueItems"."Scheduled" END,
    "FinishedAt" = CASE WHEN j."NewState" = 0 THEN NULL ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END,
    "StartedAt" = CASE WHEN j."Unbegun" = 1 THEN NULL ELSE GREATEST("BotWorkQueueItems"."StartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - j."TookMs" * INTERVAL '1 millisecond') END,
    "FirstStartedAt" = CASE WHEN "BotWorkQueueItems"."FirstStartedAt" < "BotWorkQueueItems"."StartedAt" THEN "BotWorkQueueItems"."FirstStartedAt" WHEN j."Unbegun" = 1 THEN NULL ELSE GREATEST("BotWorkQueueItems"."StartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - j."TookMs" * INTERVAL '1 millisecond') END,
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
    "RetainUntil" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."KeepMs" * INTERVAL '1 millisecond',
    "UniqueKey" = CASE WHEN j."Hidden" = 1 AND NOT EXISTS (SELECT 1 FROM "BotQueues" q
        WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."DeletedKeysCount") THEN NULL ELSE "BotWorkQueueItems"."UniqueKey" END,
    "DeletedAt" = CASE WHEN j."Hidden" = 1 THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) ELSE "BotWorkQueueItems"."DeletedAt" END,
    "DeletedReason" = CASE WHEN j."Hidden" = 1 THEN substr(j."ErrorText", 1, 1000) ELSE "BotWorkQueueItems"."DeletedReason" END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 THEN TRUE ELSE FALSE END
  AND ("WorkerId" = @worker AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
    OR "WorkerId" IS NULL AND "Robot" = j."ByRobot" AND "LockKey" = j."ByKey")
RETURNING "Id", "Fence", "QueueName", "StartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AS "EndedAt", j."Completed", j."Failed", j."Stays",
    CASE WHEN length("IntegrationConfig") <= 200 THEN "IntegrationConfig" ELSE '' END AS "Pipeline", "Priority", COALESCE(j."Kind", '') AS "Kind", j."Happened", j."DueAt"
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
        SELECT h."At", h."QueueName", h."Pipeline", h."Band", h."Event", h."Kind", h."Ms", CASE WHEN h."Ms" IS NULL THEN -1 WHEN h."Ms" < 1 THEN 0 ELSE LEAST(CAST(CEIL(LN(CAST(h."Ms" AS double precision)) / LN(CAST(1.1 AS double precision))) AS int), 298) + 1 END AS "Bucket"
        FROM (
            SELECT CASE WHEN v."Event" = 'started' THEN date_trunc('minute', COALESCE(d."StartedAt", d."EndedAt")) ELSE d."EndedAt" END AS "At",
                d."QueueName", d."Pipeline", CASE WHEN d."Priority" > 1000 THEN 'high' WHEN d."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band", v."Event",
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
