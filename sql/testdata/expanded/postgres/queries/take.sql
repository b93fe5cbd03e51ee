UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
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
    "StepTimes" = NULL,
    "BatchLeaderId" = NULL,
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
    CASE WHEN octet_length("BotWorkQueueItems"."IntegrationConfig") > 2097152 OR octet_length("BotWorkQueueItems"."Payload") > 2097152 OR octet_length("BotWorkQueueItems"."Output") > 2097152 THEN 1 END
;
