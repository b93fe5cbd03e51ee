INSERT INTO BotWorkQueueItems (
    QueueName, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, NaturalKey,
    Tags, Metadata, Labels, Selectors, Expedite, TaskName, Encrypted, LimitKey, RetainMs, TaskScope,
    BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs,
    DeadlineAt, FinishBy, ExpiresAt, TaskPlannedAt, TaskPriority, IdempotencyKey, UniqueKey, ContentKey,
    FirstStartedAt, CreatedBy, State, RetryCount, RootId, AvailableAt, Scheduled, CreatedAt, PoliciesApplied)
SELECT
    i.QueueName, i.Priority, i.IntegrationConfig, i.Payload, i.EstimatedDurationMs, i.ResilienceConfig,
    i.NaturalKey, i.Tags, i.Metadata, i.Labels, i.Selectors, i.Expedite, i.TaskName, i.Encrypted,
    i.LimitKey, i.RetainMs, i.TaskScope, i.BatchKey, i.BatchMax, i.BatchWaitMs, i.BatchAtMostMs,
    i.DeadlineAt, i.FinishBy, i.ExpiresAt, i.TaskPlannedAt, i.TaskPriority, i.IdempotencyKey, @unique_key,
    i.ContentKey, i.FirstStartedAt, i.CreatedBy, 0, @failures, COALESCE(i.RootId, i.Id),
    strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @delay_ms / 1000.0)), CASE WHEN @delay_ms > 0 THEN 1 ELSE 0 END, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), 1
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.Fence = @fence AND i.State = 3
RETURNING Id;
