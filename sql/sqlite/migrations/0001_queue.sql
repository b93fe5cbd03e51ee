-- +goose Up

-- A queue is a named set of items with one policy.
CREATE TABLE BotQueues (
    Id               INTEGER PRIMARY KEY AUTOINCREMENT,
    Name             TEXT     NOT NULL,
    Description      TEXT     NULL,
    Paused           INTEGER  NOT NULL DEFAULT 0,
    ResilienceConfig TEXT     NULL,
    CreatedAt        DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT UQ_BotQueues_Name UNIQUE (Name)
);

INSERT INTO BotQueues (Name, Description) VALUES ('default', 'Items that name no queue');

-- A worker is one process on one machine. The row lasts with the name; every
-- start of the process writes a new InstanceId.
CREATE TABLE BotWorkers (
    Id             INTEGER PRIMARY KEY AUTOINCREMENT,
    Name           TEXT     NOT NULL,
    InstanceId     TEXT     NOT NULL,
    Host           TEXT     NOT NULL,
    Pid            INTEGER  NOT NULL,
    Version        TEXT     NOT NULL,
    Capacity       INTEGER  NOT NULL DEFAULT 1,
    Labels         TEXT     NULL,
    State          TEXT     NOT NULL DEFAULT 'active',
    StartedAt      DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    LastSeenAt     DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    LeaseExpiresAt DATETIME NULL,
    CONSTRAINT UQ_BotWorkers_Name UNIQUE (Name),
    CONSTRAINT CK_BotWorkers_State CHECK (State IN ('active', 'draining', 'stopped')),
    CONSTRAINT CK_BotWorkers_Capacity CHECK (Capacity >= 1)
);

-- State: 0 Ready, 1 Blocked (running), 2 Processed, 3 Cancelled, 4 Pending,
-- 5 Assigned. A row inserted with nothing but IntegrationConfig is right.
CREATE TABLE BotWorkQueueItems (
    Id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    QueueName           TEXT     NOT NULL DEFAULT 'default',
    State               INTEGER  NOT NULL DEFAULT 4,
    Priority            INTEGER  NOT NULL DEFAULT 1000,
    IntegrationConfig   TEXT     NOT NULL,
    Payload             TEXT     NULL,
    Output              TEXT     NULL,
    Progress            TEXT     NULL,
    EstimatedDurationMs INTEGER  NULL,
    WorkerId            INTEGER  NULL,
    Fence               INTEGER  NOT NULL DEFAULT 0,
    LeaseExpiresAt      DATETIME NULL,
    RetryCount          INTEGER  NOT NULL DEFAULT 0,
    ReleaseCount        INTEGER  NOT NULL DEFAULT 0,
    ResilienceConfig    TEXT     NULL,
    AvailableAt         DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    DeadlineAt          DATETIME NULL,
    NaturalKey          TEXT     NULL,
    Tags                TEXT     NULL,
    Metadata            TEXT     NULL,
    Labels              TEXT     NULL,
    Selectors           TEXT     NULL,
    RootId              INTEGER  NULL,
    TaskName            TEXT     NULL,
    Error               TEXT     NULL,
    ErrorKind           TEXT     NULL,
    CreatedAt           DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CreatedBy           TEXT     NULL,
    AssignedAt          DATETIME NULL,
    StartedAt           DATETIME NULL,
    FinishedAt          DATETIME NULL,
    RetainUntil         DATETIME NULL,
    DeletedAt           DATETIME NULL,
    DeletedReason       TEXT     NULL,
    CONSTRAINT FK_BotWorkQueueItems_Queue FOREIGN KEY (QueueName) REFERENCES BotQueues (Name),
    CONSTRAINT CK_BotWorkQueueItems_State CHECK (State IN (0, 1, 2, 3, 4, 5)),
    CONSTRAINT CK_BotWorkQueueItems_Counts CHECK (RetryCount >= 0 AND ReleaseCount >= 0 AND Fence >= 0)
);

-- Filtered by state, so that finished rows cost the hot path nothing.
CREATE INDEX IX_BotWorkQueueItems_Waiting ON BotWorkQueueItems (Priority DESC, Id)
    WHERE State IN (0, 4) AND DeadlineAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingDeadline ON BotWorkQueueItems (Priority DESC, DeadlineAt, Id)
    WHERE State IN (0, 4) AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_Assigned ON BotWorkQueueItems (WorkerId, Priority DESC, Id) WHERE State = 5;
CREATE INDEX IX_BotWorkQueueItems_Leased ON BotWorkQueueItems (LeaseExpiresAt) WHERE State = 1;

-- One row for each attempt that did not simply succeed.
CREATE TABLE BotWorkItemAttempts (
    Id            INTEGER PRIMARY KEY AUTOINCREMENT,
    ItemId        INTEGER  NOT NULL,
    AttemptNumber INTEGER  NOT NULL,
    Fence         INTEGER  NOT NULL,
    Outcome       TEXT     NOT NULL,
    WorkerId      INTEGER  NULL,
    WorkerName    TEXT     NULL,
    Step          TEXT     NULL,
    Error         TEXT     NULL,
    ErrorKind     TEXT     NULL,
    StartedAt     DATETIME NULL,
    FinishedAt    DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT FK_BotWorkItemAttempts_Item FOREIGN KEY (ItemId) REFERENCES BotWorkQueueItems (Id) ON DELETE CASCADE,
    CONSTRAINT CK_BotWorkItemAttempts_Outcome CHECK (Outcome IN ('failed', 'timeout', 'released', 'rescued', 'snoozed'))
);
CREATE INDEX IX_BotWorkItemAttempts_Item ON BotWorkItemAttempts (ItemId, Id);

-- What became of each planned instant of a schedule. WorkerName is '' for a
-- schedule that fires once in the cluster: the unique key is what makes it once.
CREATE TABLE BotScheduleFirings (
    Id         INTEGER PRIMARY KEY AUTOINCREMENT,
    Schedule   TEXT     NOT NULL,
    PlannedAt  DATETIME NOT NULL,
    WorkerName TEXT     NOT NULL DEFAULT '',
    Outcome    TEXT     NOT NULL,
    Reason     TEXT     NOT NULL DEFAULT '',
    RecordedBy TEXT     NOT NULL,
    RecordedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT UQ_BotScheduleFirings_Instant UNIQUE (Schedule, PlannedAt, WorkerName),
    CONSTRAINT CK_BotScheduleFirings_Outcome CHECK (Outcome IN ('fired', 'missed', 'skipped'))
);

-- Each run of a system pipeline.
CREATE TABLE BotPipelineRuns (
    Id          INTEGER PRIMARY KEY AUTOINCREMENT,
    Pipeline    TEXT     NOT NULL,
    TriggerName TEXT     NOT NULL,
    PlannedAt   DATETIME NULL,
    WorkerId    INTEGER  NULL,
    Outcome     TEXT     NOT NULL DEFAULT 'running',
    Error       TEXT     NULL,
    Summary     TEXT     NULL,
    StartedAt   DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    FinishedAt  DATETIME NULL,
    CONSTRAINT CK_BotPipelineRuns_Outcome CHECK (Outcome IN ('running', 'succeeded', 'failed'))
);
CREATE INDEX IX_BotPipelineRuns_Pipeline ON BotPipelineRuns (Pipeline, Id);
CREATE INDEX IX_BotPipelineRuns_Running ON BotPipelineRuns (Pipeline) WHERE Outcome = 'running';

-- +goose Down
DROP TABLE BotPipelineRuns;
DROP TABLE BotScheduleFirings;
DROP TABLE BotWorkItemAttempts;
DROP TABLE BotWorkQueueItems;
DROP TABLE BotWorkers;
DROP TABLE BotQueues;
