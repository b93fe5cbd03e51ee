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
      AND c."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND c."DeletedAt" IS NULL
      AND (c."DeadlineAt" IS NULL OR c."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND (c."ExpiresAt" IS NULL OR c."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND c."QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
    ORDER BY c."Priority" DESC, c."Id"
    LIMIT @limit_rows
    FOR NO KEY UPDATE OF c SKIP LOCKED
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "Fence" = CASE WHEN "State" = 1 THEN "Fence" ELSE GREATEST("Fence", (SELECT e."Epoch" FROM "BotInstallation" e) * 1000000000) + 1 END,
    "WorkerId" = @worker,
    "AssignedAt" = CASE WHEN "State" = 1 THEN "AssignedAt" ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END,
    "AssignedEstimateMs" = CASE WHEN "State" = 1 THEN "AssignedEstimateMs" END,
    "Channel" = CASE WHEN "State" = 1 THEN "Channel" END,
    "StartedAt" = CASE WHEN "State" = 1 THEN "StartedAt" ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END,
    "FirstStartedAt" = COALESCE("FirstStartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))),
    "Step" = NULL,
    "Progress" = NULL,
    "ProgressPercent" = NULL,
    "PipelineHash" = NULL,
    "IdempotencyKey" = COALESCE("IdempotencyKey", CAST(gen_random_uuid() AS text)),
    "LogTail" = NULL,
    "StepTimes" = NULL,
    "BatchLeaderId" = @leader,
    "State" = 1,
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond'
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
    AND "AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    AND "DeletedAt" IS NULL
    AND ("DeadlineAt" IS NULL OR "DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
    AND ("ExpiresAt" IS NULL OR "ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
    AND "QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots')) THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w
      WHERE w."Id" = @worker AND w."InstanceId" = @instance AND (w."State" = 'active' OR "BotWorkQueueItems"."State" = 1))
  AND NOT EXISTS (SELECT 1 FROM "BotInstallation" e
      WHERE CASE WHEN e."Timeline" IS NULL THEN FALSE ELSE e."Timeline" <> left(pg_walfile_name(pg_current_wal_lsn()), 8) END)
RETURNING
    "BotWorkQueueItems"."Id", "BotWorkQueueItems"."QueueName", "BotWorkQueueItems"."Priority",
    CASE WHEN octet_length("BotWorkQueueItems"."IntegrationConfig") <= 2097152 THEN "BotWorkQueueItems"."IntegrationConfig" END,
    CASE WHEN octet_length("BotWorkQueueItems"."Payload") <= 2097152 THEN "BotWorkQueueItems"."Payload" END,
    CASE WHEN octet_length("BotWorkQueueItems"."Output") <= 2097152 THEN "BotWorkQueueItems"."Output" END,
    "BotWorkQueueItems"."EstimatedDurationMs", "BotWorkQueueItems"."Fence",
    "BotWorkQueueItems"."LeaseExpiresAt", "BotWorkQueueItems"."RetryCount",
    "BotWorkQueueItems"."ReleaseCount", "BotWorkQueueItems"."ResilienceConfig",
    "BotWorkQueueItems"."AvailableAt", "BotWorkQueueItems"."DeadlineAt",
    "BotWorkQueueItems"."NaturalKey", "BotWorkQueueItems"."Tags", "BotWorkQueueItems"."Metadata",
    "BotWorkQueueItems"."Labels", "BotWorkQueueItems"."Selectors", "BotWorkQueueItems"."RootId",
    "BotWorkQueueItems"."TaskName", "BotWorkQueueItems"."Error", "BotWorkQueueItems"."ErrorKind",
    "BotWorkQueueItems"."CreatedAt", "BotWorkQueueItems"."CreatedBy", "BotWorkQueueItems"."AssignedAt",
    "BotWorkQueueItems"."StartedAt", "BotWorkQueueItems"."FinishedAt", "BotWorkQueueItems"."RetainUntil",
    "BotWorkQueueItems"."DeletedAt", "BotWorkQueueItems"."DeletedReason",
    "BotWorkQueueItems"."FirstStartedAt", "BotWorkQueueItems"."Analytics",
    "BotWorkQueueItems"."Encrypted", "BotWorkQueueItems"."ExpiresAt", "BotWorkQueueItems"."LimitKey",
    "BotWorkQueueItems"."Robot", "BotWorkQueueItems"."RetainMs", "BotWorkQueueItems"."TaskScope",
    "BotWorkQueueItems"."TaskPlannedAt", "BotWorkQueueItems"."RunOrder",
    "BotWorkQueueItems"."AssignedEstimateMs", "BotWorkQueueItems"."Channel",
    "BotWorkQueueItems"."BegunFence", "BotWorkQueueItems"."IdempotencyKey",
    "BotWorkQueueItems"."Version", "BotWorkQueueItems"."FinishBy", "BotWorkQueueItems"."BatchKey",
    "BotWorkQueueItems"."BatchMax",
    CASE WHEN octet_length("BotWorkQueueItems"."IntegrationConfig") > 2097152 OR octet_length("BotWorkQueueItems"."Payload") > 2097152 OR octet_length("BotWorkQueueItems"."Output") > 2097152 THEN 1 END;
