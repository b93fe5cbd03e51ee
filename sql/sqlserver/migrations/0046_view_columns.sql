-- +goose Up

-- The columns that were added to items since 0006, and the word that people see, Status.
-- Altering the view keeps the rights on it.
-- +goose StatementBegin
ALTER VIEW BotWorkQueueItemsView AS
SELECT i.Id, i.QueueName, i.State,
    CASE i.State WHEN 0 THEN N'Ready' WHEN 1 THEN N'Blocked' WHEN 2 THEN N'Processed'
                 WHEN 3 THEN N'Cancelled' WHEN 4 THEN N'Pending' WHEN 5 THEN N'Assigned' END AS StateName,
    CASE WHEN i.DeletedAt IS NOT NULL THEN N'deleted'
         WHEN i.State = 1 THEN N'active' WHEN i.State = 2 THEN N'completed'
         WHEN i.State = 3 THEN N'archived' WHEN i.State = 5 THEN N'assigned'
         WHEN i.AvailableAt <= SYSUTCDATETIME() THEN N'pending'
         WHEN i.RetryCount > 0 THEN N'retry' ELSE N'scheduled' END AS Lifecycle,
    i.Priority,
    CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band,
    CASE WHEN LEN(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE N'(inline)' END AS Pipeline,
    i.WorkerId, w.Name AS WorkerName, w.Host AS WorkerHost,
    i.RetryCount, i.ReleaseCount, i.EstimatedDurationMs, i.Fence,
    i.AvailableAt, i.DeadlineAt, i.CreatedAt, i.CreatedBy, i.AssignedAt, i.StartedAt, i.FinishedAt, i.LeaseExpiresAt,
    i.TaskName, i.NaturalKey, i.RootId, i.ErrorKind, i.Error, i.Progress, i.Step, i.LogTail, i.FirstStartedAt,
    i.ProgressPercent, i.RetainUntil, i.ExpiresAt, i.LimitKey, i.Robot, i.Encrypted, i.Tags, i.Metadata, i.Analytics,
    i.IntegrationConfig, i.Payload, i.Output, i.DeletedAt, i.DeletedReason,
    i.Version, i.FinishBy, i.RetainMs, i.ResilienceConfig, i.Labels, i.Selectors, i.IdempotencyKey, i.PipelineHash, i.StepTimes,
    i.AssignedEstimateMs, i.Channel, i.RunOrder, i.TaskScope, i.TaskPlannedAt,
    i.BatchKey, i.BatchMax, i.BatchWaitMs, i.BatchAtMostMs, i.BatchLeaderId,
    CASE WHEN i.DeletedAt IS NOT NULL THEN N'Deleted'
         WHEN i.State = 1 THEN N'Running' WHEN i.State = 2 THEN N'Succeeded' WHEN i.State = 5 THEN N'Assigned'
         WHEN i.State = 3 THEN CASE WHEN i.ErrorKind IS NULL OR i.ErrorKind = N'cancelled' THEN N'Cancelled'
             WHEN i.ErrorKind = N'business' THEN N'Business error' WHEN i.ErrorKind = N'expired' THEN N'Expired' ELSE N'Failed' END
         WHEN i.AvailableAt <= SYSUTCDATETIME() THEN N'Pending'
         WHEN i.RetryCount > 0 THEN N'Retry' ELSE N'Scheduled' END AS Status
FROM BotWorkQueueItems i LEFT JOIN BotWorkers w ON w.Id = i.WorkerId;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
ALTER VIEW BotWorkQueueItemsView AS
SELECT i.Id, i.QueueName, i.State,
    CASE i.State WHEN 0 THEN N'Ready' WHEN 1 THEN N'Blocked' WHEN 2 THEN N'Processed'
                 WHEN 3 THEN N'Cancelled' WHEN 4 THEN N'Pending' WHEN 5 THEN N'Assigned' END AS StateName,
    CASE WHEN i.DeletedAt IS NOT NULL THEN N'deleted'
         WHEN i.State = 1 THEN N'active' WHEN i.State = 2 THEN N'completed'
         WHEN i.State = 3 THEN N'archived' WHEN i.State = 5 THEN N'assigned'
         WHEN i.AvailableAt <= SYSUTCDATETIME() THEN N'pending'
         WHEN i.RetryCount > 0 THEN N'retry' ELSE N'scheduled' END AS Lifecycle,
    i.Priority,
    CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band,
    CASE WHEN LEN(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE N'(inline)' END AS Pipeline,
    i.WorkerId, w.Name AS WorkerName, w.Host AS WorkerHost,
    i.RetryCount, i.ReleaseCount, i.EstimatedDurationMs, i.Fence,
    i.AvailableAt, i.DeadlineAt, i.CreatedAt, i.CreatedBy, i.AssignedAt, i.StartedAt, i.FinishedAt, i.LeaseExpiresAt,
    i.TaskName, i.NaturalKey, i.RootId, i.ErrorKind, i.Error, i.Progress, i.Step, i.LogTail, i.FirstStartedAt,
    i.ProgressPercent, i.RetainUntil, i.ExpiresAt, i.LimitKey, i.Robot, i.Encrypted, i.Tags, i.Metadata, i.Analytics,
    i.IntegrationConfig, i.Payload, i.Output, i.DeletedAt, i.DeletedReason
FROM BotWorkQueueItems i LEFT JOIN BotWorkers w ON w.Id = i.WorkerId;
-- +goose StatementEnd
