INSERT INTO "BotWorkQueueItems" (
    "QueueName", "Priority", "IntegrationConfig", "Payload", "EstimatedDurationMs", "ResilienceConfig",
    "NaturalKey", "Tags", "Metadata", "Labels", "Selectors", "Expedite", "TaskName", "Encrypted",
    "LimitKey", "RetainMs", "TaskScope", "BatchKey", "BatchMax", "BatchWaitMs", "BatchAtMostMs",
    "DeadlineAt", "FinishBy", "ExpiresAt", "TaskPlannedAt", "TaskPriority", "IdempotencyKey", "UniqueKey",
    "ContentKey", "FirstStartedAt", "CreatedBy", "State", "RetryCount", "RootId", "AvailableAt",
    "Scheduled", "CreatedAt", "PoliciesApplied")
SELECT
    i."QueueName", i."Priority", i."IntegrationConfig", i."Payload", i."EstimatedDurationMs",
    i."ResilienceConfig", i."NaturalKey", i."Tags", i."Metadata", i."Labels", i."Selectors",
    i."Expedite", i."TaskName", i."Encrypted", i."LimitKey", i."RetainMs", i."TaskScope", i."BatchKey",
    i."BatchMax", i."BatchWaitMs", i."BatchAtMostMs",
    i."DeadlineAt", i."FinishBy", i."ExpiresAt", i."TaskPlannedAt", i."TaskPriority", i."IdempotencyKey",
    CAST(@unique_key AS varchar), i."ContentKey", i."FirstStartedAt", i."CreatedBy", 0,
    CAST(@failures AS int), COALESCE(i."RootId", i."Id"), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@delay_ms AS bigint) * INTERVAL '1 millisecond',
    CAST(@delay_ms AS bigint) > 0, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), TRUE
FROM "BotWorkQueueItems" i
WHERE i."Id" = @id AND i."Fence" = @fence AND i."State" = 3
RETURNING "Id";
