SELECT
    i.Id, i.QueueName, i.Priority,
    CASE WHEN octet_length(i.IntegrationConfig) <= 2097152 THEN i.IntegrationConfig END,
    CASE WHEN octet_length(i.Payload) <= 2097152 THEN i.Payload END,
    CASE WHEN octet_length(i.Output) <= 2097152 THEN i.Output END, i.EstimatedDurationMs, i.Fence,
    CAST(i.LeaseExpiresAt AS TEXT), i.RetryCount, i.ReleaseCount, i.ResilienceConfig,
    CAST(i.AvailableAt AS TEXT), CAST(i.DeadlineAt AS TEXT), i.NaturalKey, i.Tags, i.Metadata, i.Labels,
    i.Selectors, i.RootId, i.TaskName, i.Error, i.ErrorKind, CAST(i.CreatedAt AS TEXT), i.CreatedBy,
    CAST(i.AssignedAt AS TEXT), CAST(i.StartedAt AS TEXT), CAST(i.FinishedAt AS TEXT),
    CAST(i.RetainUntil AS TEXT), CAST(i.DeletedAt AS TEXT), i.DeletedReason,
    CAST(i.FirstStartedAt AS TEXT), i.Analytics, i.Encrypted, CAST(i.ExpiresAt AS TEXT), i.LimitKey,
    i.Robot, i.RetainMs, i.TaskScope, CAST(i.TaskPlannedAt AS TEXT), i.RunOrder, i.AssignedEstimateMs,
    i.Channel, i.BegunFence, i.IdempotencyKey, i.Version, CAST(i.FinishBy AS TEXT), i.BatchKey,
    i.BatchMax,
    CASE WHEN octet_length(i.IntegrationConfig) > 2097152 OR octet_length(i.Payload) > 2097152 OR octet_length(i.Output) > 2097152 THEN 1 END
FROM jsonb_each(@rows) j
CROSS JOIN BotWorkQueueItems i
WHERE i.Id = j.value ->> 0 AND i.Fence = j.value ->> 1 AND i.State = 1;
