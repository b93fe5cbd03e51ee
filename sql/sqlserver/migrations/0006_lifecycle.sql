-- +goose Up

-- How long the item is kept when it has succeeded; NULL: as its queue says.
ALTER TABLE BotWorkQueueItems ADD RetainMs BIGINT NULL;
-- When a queue's time to live ends the item's waiting, as a deadline does.
ALTER TABLE BotWorkQueueItems ADD ExpiresAt DATETIME2(3) NULL;
-- How far the run has come, beside Progress; 0 to 100.
ALTER TABLE BotWorkQueueItems ADD ProgressPercent INT NULL;
-- What a robot or a pipeline tells of the work, for statistics of its own; JSON.
ALTER TABLE BotWorkQueueItems ADD Analytics NVARCHAR(MAX) NULL;
-- Payload, Output and Metadata are sealed; Fence and times are not.
ALTER TABLE BotWorkQueueItems ADD Encrypted BIT NOT NULL CONSTRAINT DF_BotWorkQueueItems_Encrypted DEFAULT 0;
-- Hashes of what must be unique: the natural key, as the queue says; queue, pipeline
-- and payload while the item is not finished; the same until TimedUntil.
ALTER TABLE BotWorkQueueItems ADD UniqueKey NVARCHAR(64) NULL;
ALTER TABLE BotWorkQueueItems ADD ContentKey NVARCHAR(64) NULL;
ALTER TABLE BotWorkQueueItems ADD TimedKey NVARCHAR(64) NULL;
ALTER TABLE BotWorkQueueItems ADD TimedUntil DATETIME2(3) NULL;
-- What a queue's limits per key count by, such as a customer.
ALTER TABLE BotWorkQueueItems ADD LimitKey NVARCHAR(200) NULL;
-- The robot that has checked the item out, and the secret under which it holds it (a hash).
ALTER TABLE BotWorkQueueItems ADD Robot NVARCHAR(200) NULL;
ALTER TABLE BotWorkQueueItems ADD LockKey NVARCHAR(200) NULL;

-- One unfinished item for each content; at most one item for each other key.
CREATE UNIQUE INDEX UX_BotWorkQueueItems_UniqueKey ON BotWorkQueueItems (UniqueKey) WHERE UniqueKey IS NOT NULL;
CREATE UNIQUE INDEX UX_BotWorkQueueItems_ContentKey ON BotWorkQueueItems (ContentKey) WHERE ContentKey IS NOT NULL AND State IN (0, 1, 4, 5);
CREATE UNIQUE INDEX UX_BotWorkQueueItems_TimedKey ON BotWorkQueueItems (TimedKey) WHERE TimedKey IS NOT NULL;

-- Search by key, what expires, and what housekeeping looks for.
CREATE INDEX IX_BotWorkQueueItems_NaturalKey ON BotWorkQueueItems (NaturalKey) WHERE NaturalKey IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_Deadline ON BotWorkQueueItems (DeadlineAt) WHERE State IN (0, 4, 5) AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_Expiry ON BotWorkQueueItems (ExpiresAt) WHERE State IN (0, 4, 5) AND ExpiresAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_Archived ON BotWorkQueueItems (QueueName, FinishedAt, Id) WHERE State = 3 AND DeletedAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_Retained ON BotWorkQueueItems (RetainUntil) WHERE State = 2 AND RetainUntil IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_Deleted ON BotWorkQueueItems (DeletedAt) WHERE DeletedAt IS NOT NULL;

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
    i.ProgressPercent, i.RetainUntil, i.ExpiresAt, i.LimitKey, i.Robot, i.Encrypted, i.Tags, i.Metadata, i.Analytics,
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
    i.TaskName, i.NaturalKey, i.RootId, i.ErrorKind, i.Error, i.Progress, i.Step, i.LogTail, i.FirstStartedAt,
    i.IntegrationConfig, i.Payload, i.Output, i.DeletedAt, i.DeletedReason
FROM BotWorkQueueItems i LEFT JOIN BotWorkers w ON w.Id = i.WorkerId;
-- +goose StatementEnd
DROP INDEX IX_BotWorkQueueItems_Deleted ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_Retained ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_Archived ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_Expiry ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_Deadline ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_NaturalKey ON BotWorkQueueItems;
DROP INDEX UX_BotWorkQueueItems_TimedKey ON BotWorkQueueItems;
DROP INDEX UX_BotWorkQueueItems_ContentKey ON BotWorkQueueItems;
DROP INDEX UX_BotWorkQueueItems_UniqueKey ON BotWorkQueueItems;
ALTER TABLE BotWorkQueueItems DROP COLUMN LockKey;
ALTER TABLE BotWorkQueueItems DROP COLUMN Robot;
ALTER TABLE BotWorkQueueItems DROP COLUMN LimitKey;
ALTER TABLE BotWorkQueueItems DROP COLUMN TimedUntil;
ALTER TABLE BotWorkQueueItems DROP COLUMN TimedKey;
ALTER TABLE BotWorkQueueItems DROP COLUMN ContentKey;
ALTER TABLE BotWorkQueueItems DROP COLUMN UniqueKey;
ALTER TABLE BotWorkQueueItems DROP CONSTRAINT DF_BotWorkQueueItems_Encrypted;
ALTER TABLE BotWorkQueueItems DROP COLUMN Encrypted;
ALTER TABLE BotWorkQueueItems DROP COLUMN Analytics;
ALTER TABLE BotWorkQueueItems DROP COLUMN ProgressPercent;
ALTER TABLE BotWorkQueueItems DROP COLUMN ExpiresAt;
ALTER TABLE BotWorkQueueItems DROP COLUMN RetainMs;
