-- +goose Up

-- The columns that were added to items since 0006, and the word that people see, Status.
DROP VIEW BotWorkQueueItemsView;
-- +goose StatementBegin
CREATE VIEW BotWorkQueueItemsView AS
SELECT i.Id, i.QueueName, i.State,
    CASE i.State WHEN 0 THEN 'Ready' WHEN 1 THEN 'Blocked' WHEN 2 THEN 'Processed'
                 WHEN 3 THEN 'Cancelled' WHEN 4 THEN 'Pending' WHEN 5 THEN 'Assigned' END AS StateName,
    CASE WHEN i.DeletedAt IS NOT NULL THEN 'deleted'
         WHEN i.State = 1 THEN 'active' WHEN i.State = 2 THEN 'completed'
         WHEN i.State = 3 THEN 'archived' WHEN i.State = 5 THEN 'assigned'
         WHEN i.AvailableAt <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'pending'
         WHEN i.RetryCount > 0 THEN 'retry' ELSE 'scheduled' END AS Lifecycle,
    i.Priority,
    CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band,
    CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '(inline)' END AS Pipeline,
    i.WorkerId, w.Name AS WorkerName, w.Host AS WorkerHost,
    i.RetryCount, i.ReleaseCount, i.EstimatedDurationMs, i.Fence,
    i.AvailableAt, i.DeadlineAt, i.CreatedAt, i.CreatedBy, i.AssignedAt, i.StartedAt, i.FinishedAt, i.LeaseExpiresAt,
    i.TaskName, i.NaturalKey, i.RootId, i.ErrorKind, i.Error, i.Progress, i.Step, i.LogTail, i.FirstStartedAt,
    i.ProgressPercent, i.RetainUntil, i.ExpiresAt, i.LimitKey, i.Robot, i.Encrypted, i.Tags, i.Metadata, i.Analytics,
    i.IntegrationConfig, i.Payload, i.Output, i.DeletedAt, i.DeletedReason,
    i.Version, i.FinishBy, i.RetainMs, i.ResilienceConfig, i.Labels, i.Selectors, i.IdempotencyKey, i.PipelineHash, i.StepTimes,
    i.AssignedEstimateMs, i.Channel, i.RunOrder, i.TaskScope, i.TaskPlannedAt,
    i.BatchKey, i.BatchMax, i.BatchWaitMs, i.BatchAtMostMs, i.BatchLeaderId,
    CASE WHEN i.DeletedAt IS NOT NULL THEN 'Deleted'
         WHEN i.State = 1 THEN 'Running' WHEN i.State = 2 THEN 'Succeeded' WHEN i.State = 5 THEN 'Assigned'
         WHEN i.State = 3 THEN CASE WHEN i.ErrorKind IS NULL OR i.ErrorKind = 'cancelled' THEN 'Cancelled'
             WHEN i.ErrorKind = 'business' THEN 'Business error' WHEN i.ErrorKind = 'expired' THEN 'Expired' ELSE 'Failed' END
         WHEN i.AvailableAt <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'Pending'
         WHEN i.RetryCount > 0 THEN 'Retry' ELSE 'Scheduled' END AS Status
FROM BotWorkQueueItems i LEFT JOIN BotWorkers w ON w.Id = i.WorkerId;
-- +goose StatementEnd

-- +goose Down
DROP VIEW BotWorkQueueItemsView;
-- +goose StatementBegin
CREATE VIEW BotWorkQueueItemsView AS
SELECT i.Id, i.QueueName, i.State,
    CASE i.State WHEN 0 THEN 'Ready' WHEN 1 THEN 'Blocked' WHEN 2 THEN 'Processed'
                 WHEN 3 THEN 'Cancelled' WHEN 4 THEN 'Pending' WHEN 5 THEN 'Assigned' END AS StateName,
    CASE WHEN i.DeletedAt IS NOT NULL THEN 'deleted'
         WHEN i.State = 1 THEN 'active' WHEN i.State = 2 THEN 'completed'
         WHEN i.State = 3 THEN 'archived' WHEN i.State = 5 THEN 'assigned'
         WHEN i.AvailableAt <= strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'pending'
         WHEN i.RetryCount > 0 THEN 'retry' ELSE 'scheduled' END AS Lifecycle,
    i.Priority,
    CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band,
    CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '(inline)' END AS Pipeline,
    i.WorkerId, w.Name AS WorkerName, w.Host AS WorkerHost,
    i.RetryCount, i.ReleaseCount, i.EstimatedDurationMs, i.Fence,
    i.AvailableAt, i.DeadlineAt, i.CreatedAt, i.CreatedBy, i.AssignedAt, i.StartedAt, i.FinishedAt, i.LeaseExpiresAt,
    i.TaskName, i.NaturalKey, i.RootId, i.ErrorKind, i.Error, i.Progress, i.Step, i.LogTail, i.FirstStartedAt,
    i.ProgressPercent, i.RetainUntil, i.ExpiresAt, i.LimitKey, i.Robot, i.Encrypted, i.Tags, i.Metadata, i.Analytics,
    i.IntegrationConfig, i.Payload, i.Output, i.DeletedAt, i.DeletedReason
FROM BotWorkQueueItems i LEFT JOIN BotWorkers w ON w.Id = i.WorkerId;
-- +goose StatementEnd
