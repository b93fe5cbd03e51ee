INSERT INTO BotWorkQueueItems
    (QueueName, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, DeadlineAt,
     ExpiresAt, NaturalKey, Tags, Metadata, Labels, Selectors, Expedite, TaskName, TaskScope, TaskPlannedAt, TaskPriority, RetainMs, LimitKey, Encrypted,
     IdempotencyKey, UniqueKey, ContentKey, FirstStartedAt, CreatedBy,
     State, RetryCount, RootId, AvailableAt, Scheduled, CreatedAt)
SELECT i.QueueName, i.Priority, i.IntegrationConfig, i.Payload, i.EstimatedDurationMs, i.ResilienceConfig,
    i.DeadlineAt, i.ExpiresAt, i.NaturalKey, i.Tags, i.Metadata, i.Labels, i.Selectors, i.Expedite, i.TaskName, i.TaskScope, i.TaskPlannedAt, i.TaskPriority, i.RetainMs,
    i.LimitKey, i.Encrypted, i.IdempotencyKey, @unique_key, i.ContentKey, i.FirstStartedAt, i.CreatedBy,
    0, @failures, COALESCE(i.RootId, i.Id), strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @delay_ms / 1000.0)), CASE WHEN @delay_ms > 0 THEN 1 ELSE 0 END, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.Fence = @fence AND i.State = 3
RETURNING Id;
