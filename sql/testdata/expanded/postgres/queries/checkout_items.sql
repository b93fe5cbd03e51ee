SELECT
    i."Id", i."QueueName", i."State", i."Priority", i."IntegrationConfig", i."Payload", i."Output",
    i."Progress", i."EstimatedDurationMs", i."WorkerId", i."Fence", i."LeaseExpiresAt", i."RetryCount",
    i."ReleaseCount", i."ResilienceConfig", i."AvailableAt", i."DeadlineAt", i."NaturalKey", i."Tags",
    i."Metadata", i."Labels", i."Selectors", i."RootId", i."TaskName", i."Error", i."ErrorKind",
    i."CreatedAt", i."CreatedBy", i."AssignedAt", i."StartedAt", i."FinishedAt", i."RetainUntil",
    i."DeletedAt", i."DeletedReason", i."Step", i."LogTail", i."FirstStartedAt", i."ProgressPercent",
    i."Analytics", i."Encrypted", i."ExpiresAt", i."LimitKey", i."Robot", i."RetainMs", i."TaskScope",
    i."TaskPlannedAt", i."RunOrder", i."AssignedEstimateMs", i."Channel", i."PipelineHash",
    i."IdempotencyKey", i."Version", i."FinishBy", i."BatchKey", i."BatchMax", i."BatchWaitMs",
    i."BatchAtMostMs", i."BatchLeaderId", i."StepTimes",
    CASE WHEN i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN 1 ELSE 0 END,
    CASE WHEN i."State" = 1 AND i."WorkerId" IS NULL AND i."Fence" = j."ItemFence" AND i."Robot" = j."ByRobot"
        AND i."LockKey" = j."ByKey" AND i."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN 1 ELSE 0 END,
    CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "ByRobot" text, "ByKey" text)
JOIN "BotWorkQueueItems" i ON i."Id" = j."ItemId";
