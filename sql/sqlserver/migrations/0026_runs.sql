-- +goose Up

-- Where a run failed, and who asked for it. RequestId is the row of BotRunRequests that started it.
ALTER TABLE BotPipelineRuns ADD FailedStep NVARCHAR(200) NULL;
ALTER TABLE BotPipelineRuns ADD RequestedBy NVARCHAR(200) NULL;
ALTER TABLE BotPipelineRuns ADD RequestId BIGINT NULL;
CREATE INDEX IX_BotPipelineRuns_Planned ON BotPipelineRuns (Pipeline, PlannedAt) WHERE PlannedAt IS NOT NULL;

-- System pipelines that were paused. The row of a pipeline that was resumed stays, with who
-- resumed it.
CREATE TABLE BotPipelinePauses (
    Id        BIGINT IDENTITY(1,1) NOT NULL,
    Pipeline  NVARCHAR(200)  NOT NULL,
    Paused    BIT            NOT NULL CONSTRAINT DF_BotPipelinePauses_Paused DEFAULT 1,
    Reason    NVARCHAR(1000) NOT NULL CONSTRAINT DF_BotPipelinePauses_Reason DEFAULT N'',
    ChangedBy NVARCHAR(200)  NOT NULL CONSTRAINT DF_BotPipelinePauses_ChangedBy DEFAULT N'',
    ChangedAt DATETIME2(3)   NOT NULL CONSTRAINT DF_BotPipelinePauses_ChangedAt DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotPipelinePauses PRIMARY KEY (Id),
    CONSTRAINT UQ_BotPipelinePauses_Pipeline UNIQUE (Pipeline)
);

-- Runs that people asked for. A worker that has the pipeline starts each once.
CREATE TABLE BotRunRequests (
    Id          BIGINT IDENTITY(1,1) NOT NULL,
    Pipeline    NVARCHAR(200) NOT NULL,
    TriggerName NVARCHAR(20)  NOT NULL CONSTRAINT DF_BotRunRequests_TriggerName DEFAULT N'request',
    PlannedAt   DATETIME2(3)  NULL,
    State       NVARCHAR(20)  NOT NULL CONSTRAINT DF_BotRunRequests_State DEFAULT N'pending',
    RequestedBy NVARCHAR(200) NOT NULL,
    RequestedAt DATETIME2(3)  NOT NULL CONSTRAINT DF_BotRunRequests_RequestedAt DEFAULT SYSUTCDATETIME(),
    ExpiresAt   DATETIME2(3)  NOT NULL,
    WorkerId    BIGINT        NULL,
    RunId       BIGINT        NULL,
    StartedAt   DATETIME2(3)  NULL,
    CONSTRAINT PK_BotRunRequests PRIMARY KEY (Id),
    CONSTRAINT CK_BotRunRequests_State CHECK (State IN (N'pending', N'started', N'refused', N'expired')),
    CONSTRAINT CK_BotRunRequests_Trigger CHECK (TriggerName = N'request' AND PlannedAt IS NULL OR TriggerName = N'backfill' AND PlannedAt IS NOT NULL)
);
CREATE INDEX IX_BotRunRequests_Pending ON BotRunRequests (Pipeline, Id) WHERE State = N'pending';
CREATE UNIQUE INDEX UX_BotRunRequests_Planned ON BotRunRequests (Pipeline, PlannedAt) WHERE PlannedAt IS NOT NULL AND State IN (N'pending', N'started');
CREATE INDEX IX_BotRunRequests_Requested ON BotRunRequests (RequestedAt, Id);

-- +goose Down
DROP TABLE BotRunRequests;
DROP TABLE BotPipelinePauses;
DROP INDEX IX_BotPipelineRuns_Planned ON BotPipelineRuns;
ALTER TABLE BotPipelineRuns DROP COLUMN RequestId;
ALTER TABLE BotPipelineRuns DROP COLUMN RequestedBy;
ALTER TABLE BotPipelineRuns DROP COLUMN FailedStep;
