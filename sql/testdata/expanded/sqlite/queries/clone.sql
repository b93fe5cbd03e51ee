INSERT INTO BotWorkQueueItems (
    QueueName, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, NaturalKey,
    Tags, Metadata, Labels, Selectors, Expedite, TaskName, Encrypted, LimitKey, RetainMs, TaskScope,
    BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs,
    DeadlineAt, FinishBy, State, UniqueKey, AvailableAt, CreatedAt, CreatedBy, ExpiresAt, IdempotencyKey, PoliciesApplied)
SELECT
    i.QueueName, i.Priority, i.IntegrationConfig, i.Payload, i.EstimatedDurationMs, i.ResilienceConfig,
    i.NaturalKey, i.Tags, i.Metadata, i.Labels, i.Selectors, i.Expedite, i.TaskName, i.Encrypted,
    i.LimitKey, i.RetainMs, i.TaskScope, i.BatchKey, i.BatchMax, i.BatchWaitMs, i.BatchAtMostMs,
    COALESCE(CASE WHEN i.DeadlineAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN i.DeadlineAt END, CASE WHEN i.FinishBy >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN i.FinishBy END), CASE WHEN i.FinishBy >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) THEN i.FinishBy END, 4, @unique_key, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    @author, CASE WHEN @life_ms IS NOT NULL THEN strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @life_ms / 1000.0)) END,
    lower(hex(randomblob(16))), 1
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.QueueName = @queue
RETURNING Id;
