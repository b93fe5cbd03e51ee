UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 1,
    "Fence" = GREATEST("Fence", (SELECT e."Epoch" FROM "BotInstallation" e) * 1000000000) + 1,
    "StartedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "FirstStartedAt" = COALESCE("FirstStartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))),
    "Step" = NULL,
    "Progress" = NULL,
    "ProgressPercent" = NULL,
    "PipelineHash" = NULL,
    "IdempotencyKey" = COALESCE("IdempotencyKey", CAST(gen_random_uuid() AS text)),
    "LogTail" = NULL,
    "StepTimes" = NULL,
    "BatchLeaderId" = NULL,
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond'
WHERE "State" + 0 = 5 AND "WorkerId" = @worker AND "Id" = ANY (ARRAY(
    SELECT b."Id"
    FROM (
    SELECT l."Id", ROW_NUMBER() OVER places AS "Place", SUM(l."WorkMs") OVER places - l."WorkMs" AS "WorkBefore", SUM(l."Bytes") OVER places - l."Bytes" AS "BytesBefore"
    FROM (
    SELECT expedited."Id", 0 AS "Turn", expedited."Priority", expedited."RunOrder", expedited."WorkMs", expedited."Bytes"
    FROM (
        SELECT c."Id", c."Priority", c."RunOrder", COALESCE(c."AssignedEstimateMs", 0) AS "WorkMs",
            COALESCE(octet_length(c."Payload"), 0) + octet_length(c."IntegrationConfig") AS "Bytes"
        FROM "BotWorkQueueItems" c
        WHERE c."State" = 5 AND c."WorkerId" = @worker AND c."Priority" BETWEEN @min_priority AND @max_priority
          AND c."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
          AND c."DeletedAt" IS NULL
          AND (c."DeadlineAt" IS NULL OR c."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
          AND (c."ExpiresAt" IS NULL OR c."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
          AND c."QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
          AND (CAST(@full_channels AS text) = '[]' OR c."Channel" IS NULL OR c."Channel" NOT IN (SELECT f.value FROM jsonb_array_elements_text(CAST(@full_channels AS jsonb)) f))
          AND EXISTS (SELECT 1 FROM "BotWorkers" w
              WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" = 'active')
          AND c."Expedite" AND c."RunOrder" < -1000000000000000000
        ORDER BY c."Priority" DESC, c."RunOrder", c."Id"
        LIMIT @limit_rows
        FOR NO KEY UPDATE SKIP LOCKED) expedited
    UNION ALL
    SELECT rest."Id", 1, rest."Priority", rest."RunOrder", rest."WorkMs", rest."Bytes"
    FROM (
        SELECT c."Id", c."Priority", c."RunOrder", COALESCE(c."AssignedEstimateMs", 0) AS "WorkMs",
            COALESCE(octet_length(c."Payload"), 0) + octet_length(c."IntegrationConfig") AS "Bytes"
        FROM "BotWorkQueueItems" c
        WHERE c."State" = 5 AND c."WorkerId" = @worker AND c."Priority" BETWEEN @min_priority AND @max_priority
          AND c."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
          AND c."DeletedAt" IS NULL
          AND (c."DeadlineAt" IS NULL OR c."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
          AND (c."ExpiresAt" IS NULL OR c."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
          AND c."QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
          AND (CAST(@full_channels AS text) = '[]' OR c."Channel" IS NULL OR c."Channel" NOT IN (SELECT f.value FROM jsonb_array_elements_text(CAST(@full_channels AS jsonb)) f))
          AND EXISTS (SELECT 1 FROM "BotWorkers" w
              WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" = 'active')
          AND (NOT c."Expedite" OR c."RunOrder" >= -1000000000000000000)
        ORDER BY c."Priority" DESC, c."RunOrder", c."Id"
        LIMIT @limit_rows
        FOR NO KEY UPDATE SKIP LOCKED) rest) l
    WINDOW places AS (ORDER BY l."Turn", l."Priority" DESC, l."RunOrder", l."Id" ROWS UNBOUNDED PRECEDING)) b
    WHERE b."Place" <= @limit_rows AND (b."Place" <= @begin_rows OR b."WorkBefore" <= @work_ms AND b."BytesBefore" <= @bytes)))
  AND NOT EXISTS (SELECT 1 FROM "BotInstallation" e
      WHERE CASE WHEN e."Timeline" IS NULL THEN FALSE ELSE e."Timeline" <> left(pg_walfile_name(pg_current_wal_lsn()), 8) END)
RETURNING
    "Id", "QueueName", "Priority",
    CASE WHEN octet_length("IntegrationConfig") <= 2097152 THEN "IntegrationConfig" END,
    CASE WHEN octet_length("Payload") <= 2097152 THEN "Payload" END,
    CASE WHEN octet_length("Output") <= 2097152 THEN "Output" END, "EstimatedDurationMs", "Fence",
    "LeaseExpiresAt", "RetryCount", "ReleaseCount", "ResilienceConfig", "AvailableAt", "DeadlineAt",
    "NaturalKey", "Tags", "Metadata", "Labels", "Selectors", "RootId", "TaskName", "Error", "ErrorKind",
    "CreatedAt", "CreatedBy", "AssignedAt", "StartedAt", "FinishedAt", "RetainUntil", "DeletedAt",
    "DeletedReason", "FirstStartedAt", "Analytics", "Encrypted", "ExpiresAt", "LimitKey", "Robot",
    "RetainMs", "TaskScope", "TaskPlannedAt", "RunOrder", "AssignedEstimateMs", "Channel", "BegunFence",
    "IdempotencyKey", "Version", "FinishBy", "BatchKey", "BatchMax",
    CASE WHEN octet_length("IntegrationConfig") > 2097152 OR octet_length("Payload") > 2097152 OR octet_length("Output") > 2097152 THEN 1 END;
