-- +goose Up

-- A queue is a named set of items with one policy.
CREATE TABLE BotQueues (
    Id               BIGINT IDENTITY(1,1) NOT NULL,
    Name             NVARCHAR(200)  NOT NULL,
    Description      NVARCHAR(1000) NULL,
    Paused           BIT            NOT NULL CONSTRAINT DF_BotQueues_Paused DEFAULT 0,
    ResilienceConfig NVARCHAR(MAX)  NULL,
    CreatedAt        DATETIME2(3)   NOT NULL CONSTRAINT DF_BotQueues_CreatedAt DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotQueues PRIMARY KEY (Id),
    CONSTRAINT UQ_BotQueues_Name UNIQUE (Name)
);

INSERT INTO BotQueues (Name, Description) VALUES (N'default', N'Items that name no queue');

-- A worker is one process on one machine. The row lasts with the name; every
-- start of the process writes a new InstanceId.
CREATE TABLE BotWorkers (
    Id             BIGINT IDENTITY(1,1) NOT NULL,
    Name           NVARCHAR(200) NOT NULL,
    InstanceId     NVARCHAR(64)  NOT NULL,
    Host           NVARCHAR(255) NOT NULL,
    Pid            INT           NOT NULL,
    Version        NVARCHAR(100) NOT NULL,
    Capacity       INT           NOT NULL CONSTRAINT DF_BotWorkers_Capacity DEFAULT 1,
    Labels         NVARCHAR(MAX) NULL,
    State          NVARCHAR(20)  NOT NULL CONSTRAINT DF_BotWorkers_State DEFAULT N'active',
    StartedAt      DATETIME2(3)  NOT NULL CONSTRAINT DF_BotWorkers_StartedAt DEFAULT SYSUTCDATETIME(),
    LastSeenAt     DATETIME2(3)  NOT NULL CONSTRAINT DF_BotWorkers_LastSeenAt DEFAULT SYSUTCDATETIME(),
    LeaseExpiresAt DATETIME2(3)  NULL,
    CONSTRAINT PK_BotWorkers PRIMARY KEY (Id),
    CONSTRAINT UQ_BotWorkers_Name UNIQUE (Name),
    CONSTRAINT CK_BotWorkers_State CHECK (State IN (N'active', N'draining', N'stopped')),
    CONSTRAINT CK_BotWorkers_Capacity CHECK (Capacity >= 1)
);

-- State: 0 Ready, 1 Blocked (running), 2 Processed, 3 Cancelled, 4 Pending,
-- 5 Assigned. A row inserted with nothing but IntegrationConfig is right.
CREATE TABLE BotWorkQueueItems (
    Id                  BIGINT IDENTITY(1,1) NOT NULL,
    QueueName           NVARCHAR(200)  NOT NULL CONSTRAINT DF_BotWorkQueueItems_QueueName DEFAULT N'default',
    State               SMALLINT       NOT NULL CONSTRAINT DF_BotWorkQueueItems_State DEFAULT 4,
    Priority            INT            NOT NULL CONSTRAINT DF_BotWorkQueueItems_Priority DEFAULT 1000,
    IntegrationConfig   NVARCHAR(MAX)  NOT NULL,
    Payload             NVARCHAR(MAX)  NULL,
    Output              NVARCHAR(MAX)  NULL,
    Progress            NVARCHAR(1000) NULL,
    EstimatedDurationMs BIGINT         NULL,
    WorkerId            BIGINT         NULL,
    Fence               BIGINT         NOT NULL CONSTRAINT DF_BotWorkQueueItems_Fence DEFAULT 0,
    LeaseExpiresAt      DATETIME2(3)   NULL,
    RetryCount          INT            NOT NULL CONSTRAINT DF_BotWorkQueueItems_RetryCount DEFAULT 0,
    ReleaseCount        INT            NOT NULL CONSTRAINT DF_BotWorkQueueItems_ReleaseCount DEFAULT 0,
    ResilienceConfig    NVARCHAR(MAX)  NULL,
    AvailableAt         DATETIME2(3)   NOT NULL CONSTRAINT DF_BotWorkQueueItems_AvailableAt DEFAULT SYSUTCDATETIME(),
    DeadlineAt          DATETIME2(3)   NULL,
    NaturalKey          NVARCHAR(400)  NULL,
    Tags                NVARCHAR(MAX)  NULL,
    Metadata            NVARCHAR(MAX)  NULL,
    Labels              NVARCHAR(MAX)  NULL,
    Selectors           NVARCHAR(MAX)  NULL,
    RootId              BIGINT         NULL,
    TaskName            NVARCHAR(200)  NULL,
    Error               NVARCHAR(MAX)  NULL,
    ErrorKind           NVARCHAR(20)   NULL,
    CreatedAt           DATETIME2(3)   NOT NULL CONSTRAINT DF_BotWorkQueueItems_CreatedAt DEFAULT SYSUTCDATETIME(),
    CreatedBy           NVARCHAR(200)  NULL,
    AssignedAt          DATETIME2(3)   NULL,
    StartedAt           DATETIME2(3)   NULL,
    FinishedAt          DATETIME2(3)   NULL,
    RetainUntil         DATETIME2(3)   NULL,
    DeletedAt           DATETIME2(3)   NULL,
    DeletedReason       NVARCHAR(1000) NULL,
    CONSTRAINT PK_BotWorkQueueItems PRIMARY KEY (Id),
    CONSTRAINT FK_BotWorkQueueItems_Queue FOREIGN KEY (QueueName) REFERENCES BotQueues (Name),
    CONSTRAINT CK_BotWorkQueueItems_State CHECK (State IN (0, 1, 2, 3, 4, 5)),
    CONSTRAINT CK_BotWorkQueueItems_Counts CHECK (RetryCount >= 0 AND ReleaseCount >= 0 AND Fence >= 0)
);

-- Filtered by state, so that finished rows cost the hot path nothing.
CREATE INDEX IX_BotWorkQueueItems_Waiting ON BotWorkQueueItems (Priority DESC, Id)
    INCLUDE (AvailableAt, QueueName) WHERE State IN (0, 4) AND DeadlineAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_WaitingDeadline ON BotWorkQueueItems (Priority DESC, DeadlineAt, Id)
    INCLUDE (AvailableAt, QueueName) WHERE State IN (0, 4) AND DeadlineAt IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_Assigned ON BotWorkQueueItems (WorkerId, Priority DESC, Id) WHERE State = 5;
CREATE INDEX IX_BotWorkQueueItems_Leased ON BotWorkQueueItems (LeaseExpiresAt) WHERE State = 1;

-- One row for each attempt that did not simply succeed.
CREATE TABLE BotWorkItemAttempts (
    Id            BIGINT IDENTITY(1,1) NOT NULL,
    ItemId        BIGINT        NOT NULL,
    AttemptNumber INT           NOT NULL,
    Fence         BIGINT        NOT NULL,
    Outcome       NVARCHAR(20)  NOT NULL,
    WorkerId      BIGINT        NULL,
    WorkerName    NVARCHAR(200) NULL,
    Step          NVARCHAR(200) NULL,
    Error         NVARCHAR(MAX) NULL,
    ErrorKind     NVARCHAR(20)  NULL,
    StartedAt     DATETIME2(3)  NULL,
    FinishedAt    DATETIME2(3)  NOT NULL CONSTRAINT DF_BotWorkItemAttempts_FinishedAt DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotWorkItemAttempts PRIMARY KEY (Id),
    CONSTRAINT FK_BotWorkItemAttempts_Item FOREIGN KEY (ItemId) REFERENCES BotWorkQueueItems (Id) ON DELETE CASCADE,
    CONSTRAINT CK_BotWorkItemAttempts_Outcome CHECK (Outcome IN (N'failed', N'timeout', N'released', N'rescued', N'snoozed'))
);
CREATE INDEX IX_BotWorkItemAttempts_Item ON BotWorkItemAttempts (ItemId, Id);

-- What became of each planned instant of a schedule. WorkerName is '' for a
-- schedule that fires once in the cluster: the unique key is what makes it once.
CREATE TABLE BotScheduleFirings (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    Schedule   NVARCHAR(200)  NOT NULL,
    PlannedAt  DATETIME2(3)   NOT NULL,
    WorkerName NVARCHAR(200)  NOT NULL CONSTRAINT DF_BotScheduleFirings_WorkerName DEFAULT N'',
    Outcome    NVARCHAR(20)   NOT NULL,
    Reason     NVARCHAR(1000) NOT NULL CONSTRAINT DF_BotScheduleFirings_Reason DEFAULT N'',
    RecordedBy NVARCHAR(200)  NOT NULL,
    RecordedAt DATETIME2(3)   NOT NULL CONSTRAINT DF_BotScheduleFirings_RecordedAt DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotScheduleFirings PRIMARY KEY (Id),
    CONSTRAINT UQ_BotScheduleFirings_Instant UNIQUE (Schedule, PlannedAt, WorkerName),
    CONSTRAINT CK_BotScheduleFirings_Outcome CHECK (Outcome IN (N'fired', N'missed', N'skipped'))
);

-- Each run of a system pipeline.
CREATE TABLE BotPipelineRuns (
    Id          BIGINT IDENTITY(1,1) NOT NULL,
    Pipeline    NVARCHAR(200) NOT NULL,
    TriggerName NVARCHAR(20)  NOT NULL,
    PlannedAt   DATETIME2(3)  NULL,
    WorkerId    BIGINT        NULL,
    Outcome     NVARCHAR(20)  NOT NULL CONSTRAINT DF_BotPipelineRuns_Outcome DEFAULT N'running',
    Error       NVARCHAR(MAX) NULL,
    Summary     NVARCHAR(MAX) NULL,
    StartedAt   DATETIME2(3)  NOT NULL CONSTRAINT DF_BotPipelineRuns_StartedAt DEFAULT SYSUTCDATETIME(),
    FinishedAt  DATETIME2(3)  NULL,
    CONSTRAINT PK_BotPipelineRuns PRIMARY KEY (Id),
    CONSTRAINT CK_BotPipelineRuns_Outcome CHECK (Outcome IN (N'running', N'succeeded', N'failed'))
);
CREATE INDEX IX_BotPipelineRuns_Pipeline ON BotPipelineRuns (Pipeline, Id);
CREATE INDEX IX_BotPipelineRuns_Running ON BotPipelineRuns (Pipeline) WHERE Outcome = N'running';

-- +goose Down
DROP TABLE BotPipelineRuns;
DROP TABLE BotScheduleFirings;
DROP TABLE BotWorkItemAttempts;
DROP TABLE BotWorkQueueItems;
DROP TABLE BotWorkers;
DROP TABLE BotQueues;
