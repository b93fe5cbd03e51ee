INSERT INTO "BotWorkQueueItems" (
    "QueueName", "Priority", "IntegrationConfig", "Payload", "EstimatedDurationMs", "ResilienceConfig",
    "NaturalKey", "Tags", "Metadata", "Labels", "Selectors", "Expedite", "TaskName", "Encrypted",
    "LimitKey", "RetainMs", "TaskScope", "BatchKey", "BatchMax", "BatchWaitMs", "BatchAtMostMs",
    "DeadlineAt", "FinishBy", "State", "UniqueKey", "AvailableAt", "CreatedAt", "CreatedBy", "ExpiresAt", "PoliciesApplied")
SELECT
    i."QueueName", i."Priority", i."IntegrationConfig", i."Payload", i."EstimatedDurationMs",
    i."ResilienceConfig", i."NaturalKey", i."Tags", i."Metadata", i."Labels", i."Selectors",
    i."Expedite", i."TaskName", i."Encrypted", i."LimitKey", i."RetainMs", i."TaskScope", i."BatchKey",
    i."BatchMax", i."BatchWaitMs", i."BatchAtMostMs",
    COALESCE(CASE WHEN i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN i."DeadlineAt" END, CASE WHEN i."FinishBy" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN i."FinishBy" END), CASE WHEN i."FinishBy" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN i."FinishBy" END, 4, CAST(@unique_key AS varchar),
    CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(@author AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@life_ms AS bigint) * INTERVAL '1 millisecond', TRUE
FROM "BotWorkQueueItems" i
WHERE i."Id" = @id AND i."QueueName" = @queue
RETURNING "Id";
