INSERT INTO BotWorkQueueItems (
    QueueName, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, NaturalKey,
    Tags, Metadata, Labels, Selectors, Expedite, TaskName, Encrypted, LimitKey, RetainMs, TaskScope,
    BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs,
    DeadlineAt, FinishBy, State, UniqueKey, AvailableAt, CreatedAt, CreatedBy, ExpiresAt, PoliciesApplied)
OUTPUT inserted.Id
SELECT
    i.QueueName, i.Priority, i.IntegrationConfig, i.Payload, i.EstimatedDurationMs, i.ResilienceConfig,
    i.NaturalKey, i.Tags, i.Metadata, i.Labels, i.Selectors, i.Expedite, i.TaskName, i.Encrypted,
    i.LimitKey, i.RetainMs, i.TaskScope, i.BatchKey, i.BatchMax, i.BatchWaitMs, i.BatchAtMostMs,
    COALESCE(CASE WHEN i.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN i.DeadlineAt END, CASE WHEN i.FinishBy >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN i.FinishBy END), CASE WHEN i.FinishBy >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN i.FinishBy END, 4, @unique_key, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    @author, DATEADD(millisecond, (CAST(@life_ms AS BIGINT) % 1000), DATEADD(second, (CAST(@life_ms AS BIGINT) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))), 1
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.QueueName = CAST(@queue AS NVARCHAR(450));
