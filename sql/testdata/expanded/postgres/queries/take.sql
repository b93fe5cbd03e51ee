UPDATE "BotWorkQueueItems" SET
    "State" = 1,
    "Fence" = GREATEST("BotWorkQueueItems"."Fence", (SELECT e."Epoch" FROM "BotInstallation" e) * 1000000000) + 1,
    "WorkerId" = @worker,
    "AssignedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "RunOrder" = j."RunOrder",
    "AssignedEstimateMs" = j."EstimateMs",
    "Channel" = j."Channel",
    "StartedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "FirstStartedAt" = COALESCE("BotWorkQueueItems"."FirstStartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))),
    "Step" = NULL,
    "Progress" = NULL,
    "ProgressPercent" = NULL,
    "PipelineHash" = NULL,
    "IdempotencyKey" = COALESCE("IdempotencyKey", CAST(gen_random_uuid() AS text)),
    "LogTail" = NULL,
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond'
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" IN (0, 4)
    AND "AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    AND "DeletedAt" IS NULL
    AND ("DeadlineAt" IS NULL OR "DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
    AND ("ExpiresAt" IS NULL OR "ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
    AND "QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots')) THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w
      WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" = 'active')
  AND (CAST(@passes AS bigint) IS NULL OR EXISTS (SELECT 1 FROM "BotAssignmentMarks" m WHERE m."Name" = 'passes' AND m."Value" = @passes))
  AND NOT EXISTS (SELECT 1 FROM "BotInstallation" e
      WHERE CASE WHEN e."Timeline" IS NULL THEN FALSE ELSE e."Timeline" <> left(pg_walfile_name(pg_current_wal_lsn()), 8) END)
RETURNING
    "Id", "QueueName", "Priority",
    CASE WHEN octet_length("IntegrationConfig") <= 2097152 THEN "IntegrationConfig" ELSE '' END,
    CASE WHEN octet_length("Payload") <= 2097152 THEN "Payload" END,
    CASE WHEN octet_length("Output") <= 2097152 THEN "Output" END,
    "EstimatedDurationMs", "Fence",
    "LeaseExpiresAt", "RetryCount", "ReleaseCount", "ResilienceConfig", "AvailableAt", "DeadlineAt", "NaturalKey",
    "Tags", "Metadata", "Labels", "Selectors", "RootId", "TaskName", "Error", "ErrorKind", "CreatedAt", "CreatedBy",
    "AssignedAt", "StartedAt", "FinishedAt", "RetainUntil", "DeletedAt", "DeletedReason", "FirstStartedAt",
    "Analytics", "Encrypted", "ExpiresAt", "LimitKey", "Robot", "RetainMs", "TaskScope", "TaskPlannedAt",
    "BotWorkQueueItems"."RunOrder", "AssignedEstimateMs", "BotWorkQueueItems"."Channel", "BegunFence", "IdempotencyKey",
    CASE WHEN octet_length("IntegrationConfig") > 2097152 OR octet_length("Payload") > 2097152 OR octet_length("Output") > 2097152 THEN 1 END;
