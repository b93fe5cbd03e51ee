-- +goose Up

-- What notifications remember. BotNotificationState has one row: an evaluation raises its Version and
-- writes everything else in the same transaction, so that two evaluations at the same time count once.
-- Positions are, as JSON, up to where each source was read; BotNotificationSeen has what was already
-- read near these positions, because a transaction may commit later than its time says. BotAlerts has
-- one row for each rule and group; Memory is what the next message says, as JSON. BotEvents has what
-- other parts of the program raised in their transactions; an evaluation removes what it has read.
-- KeyHash is the SHA-256 of RuleName and GroupName, compared with case. Messages themselves are items of
-- the queue botwork.notifications.
CREATE TABLE BotNotificationState (
    Id          INT NOT NULL,
    Version     BIGINT NOT NULL CONSTRAINT DF_BotNotificationState_Version DEFAULT 0,
    EvaluatedAt DATETIME2(3) NULL,
    EvaluatedBy NVARCHAR(200) NOT NULL CONSTRAINT DF_BotNotificationState_EvaluatedBy DEFAULT N'',
    Positions   NVARCHAR(MAX) NULL,
    CONSTRAINT PK_BotNotificationState PRIMARY KEY (Id)
);

CREATE TABLE BotNotificationSeen (
    Source NVARCHAR(20) NOT NULL,
    RefId  BIGINT NOT NULL,
    At     DATETIME2(3) NOT NULL,
    CONSTRAINT PK_BotNotificationSeen PRIMARY KEY (Source, RefId, At)
);

CREATE TABLE BotNotificationMutes (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    KeyHash    NVARCHAR(64) NOT NULL,
    RuleName   NVARCHAR(200) NOT NULL,
    GroupName  NVARCHAR(450) NOT NULL CONSTRAINT DF_BotNotificationMutes_GroupName DEFAULT N'',
    MutedUntil DATETIME2(3) NOT NULL,
    Reason     NVARCHAR(1000) NOT NULL CONSTRAINT DF_BotNotificationMutes_Reason DEFAULT N'',
    MutedBy    NVARCHAR(200) NOT NULL CONSTRAINT DF_BotNotificationMutes_MutedBy DEFAULT N'',
    MutedAt    DATETIME2(3) NOT NULL CONSTRAINT DF_BotNotificationMutes_MutedAt DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotNotificationMutes PRIMARY KEY (Id)
);

CREATE TABLE BotAlerts (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    KeyHash    NVARCHAR(64) NOT NULL,
    RuleName   NVARCHAR(200) NOT NULL,
    GroupName  NVARCHAR(450) NOT NULL CONSTRAINT DF_BotAlerts_GroupName DEFAULT N'',
    State      NVARCHAR(20) NOT NULL,
    StartedAt  DATETIME2(3) NOT NULL,
    LastAt     DATETIME2(3) NOT NULL,
    EndedAt    DATETIME2(3) NULL,
    SentAt     DATETIME2(3) NULL,
    Events     BIGINT NOT NULL CONSTRAINT DF_BotAlerts_Events DEFAULT 0,
    Occurrence BIGINT NOT NULL CONSTRAINT DF_BotAlerts_Occurrence DEFAULT 1,
    Memory     NVARCHAR(MAX) NULL,
    CONSTRAINT PK_BotAlerts PRIMARY KEY (Id),
    CONSTRAINT CK_BotAlerts_State CHECK (State IN (N'pending', N'firing', N'ok'))
);

CREATE TABLE BotEvents (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    At         DATETIME2(3) NOT NULL CONSTRAINT DF_BotEvents_At DEFAULT SYSUTCDATETIME(),
    Kind       NVARCHAR(100) NOT NULL,
    QueueName  NVARCHAR(450) NOT NULL CONSTRAINT DF_BotEvents_QueueName DEFAULT N'',
    Pipeline   NVARCHAR(200) NOT NULL CONSTRAINT DF_BotEvents_Pipeline DEFAULT N'',
    WorkerName NVARCHAR(200) NOT NULL CONSTRAINT DF_BotEvents_WorkerName DEFAULT N'',
    ItemId     BIGINT NULL,
    Detail     NVARCHAR(MAX) NOT NULL CONSTRAINT DF_BotEvents_Detail DEFAULT N'',
    CONSTRAINT PK_BotEvents PRIMARY KEY (Id)
);

INSERT INTO BotNotificationState (Id) VALUES (1);

CREATE INDEX IX_BotNotificationSeen_At ON BotNotificationSeen (At);
CREATE UNIQUE INDEX UX_BotNotificationMutes_KeyHash ON BotNotificationMutes (KeyHash);
CREATE UNIQUE INDEX UX_BotAlerts_KeyHash ON BotAlerts (KeyHash);
CREATE INDEX IX_BotWorkQueueItems_ArchivedAt ON BotWorkQueueItems (FinishedAt, Id) WHERE State = 3 AND DeletedAt IS NULL;
CREATE INDEX IX_BotPipelineRuns_Failed ON BotPipelineRuns (FinishedAt, Id) WHERE Outcome = N'failed';
CREATE INDEX IX_BotScheduleFirings_Missed ON BotScheduleFirings (RecordedAt, Id) WHERE Outcome = N'missed';

-- +goose Down
DROP INDEX IX_BotScheduleFirings_Missed ON BotScheduleFirings;
DROP INDEX IX_BotPipelineRuns_Failed ON BotPipelineRuns;
DROP INDEX IX_BotWorkQueueItems_ArchivedAt ON BotWorkQueueItems;
DROP TABLE BotEvents;
DROP TABLE BotAlerts;
DROP TABLE BotNotificationMutes;
DROP TABLE BotNotificationSeen;
DROP TABLE BotNotificationState;
