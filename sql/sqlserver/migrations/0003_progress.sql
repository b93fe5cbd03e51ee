-- +goose Up

-- What a run has come to while it goes on, so that a rescue can tell it: the step
-- that it was at and its last log lines (beside Progress).
ALTER TABLE BotWorkQueueItems ADD Step NVARCHAR(200) NULL;
ALTER TABLE BotWorkQueueItems ADD LogTail NVARCHAR(MAX) NULL;

-- When the first attempt began: the policy's "within" counts from here.
ALTER TABLE BotWorkQueueItems ADD FirstStartedAt DATETIME2(3) NULL;

-- Which machine ran the attempt, and how far it came.
ALTER TABLE BotWorkItemAttempts ADD Host NVARCHAR(200) NULL;
ALTER TABLE BotWorkItemAttempts ADD Progress NVARCHAR(1000) NULL;
ALTER TABLE BotWorkItemAttempts ADD LogTail NVARCHAR(MAX) NULL;

-- Slots whose handler was cancelled and does not stop.
ALTER TABLE BotWorkers ADD StuckSlots INT NOT NULL CONSTRAINT DF_BotWorkers_StuckSlots DEFAULT 0;

DROP VIEW BotWorkQueueItemsView;
-- +goose StatementBegin
CREATE VIEW BotWorkQueueItemsView AS
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
    i.IntegrationConfig, i.Payload, i.Output, i.DeletedAt, i.DeletedReason
FROM BotWorkQueueItems i LEFT JOIN BotWorkers w ON w.Id = i.WorkerId;
-- +goose StatementEnd

-- +goose Down
DROP VIEW BotWorkQueueItemsView;
-- +goose StatementBegin
CREATE VIEW BotWorkQueueItemsView AS
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
    i.TaskName, i.NaturalKey, i.RootId, i.ErrorKind, i.Error, i.Progress,
    i.IntegrationConfig, i.Payload, i.Output, i.DeletedAt, i.DeletedReason
FROM BotWorkQueueItems i LEFT JOIN BotWorkers w ON w.Id = i.WorkerId;
-- +goose StatementEnd
ALTER TABLE BotWorkers DROP CONSTRAINT DF_BotWorkers_StuckSlots;
ALTER TABLE BotWorkers DROP COLUMN StuckSlots;
ALTER TABLE BotWorkItemAttempts DROP COLUMN LogTail;
ALTER TABLE BotWorkItemAttempts DROP COLUMN Progress;
ALTER TABLE BotWorkItemAttempts DROP COLUMN Host;
ALTER TABLE BotWorkQueueItems DROP COLUMN FirstStartedAt;
ALTER TABLE BotWorkQueueItems DROP COLUMN LogTail;
ALTER TABLE BotWorkQueueItems DROP COLUMN Step;
