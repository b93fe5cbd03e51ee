-- +goose Up

-- Where a run failed, and who asked for it. RequestId is the row of BotRunRequests that started it.
ALTER TABLE BotPipelineRuns ADD COLUMN FailedStep TEXT NULL;
ALTER TABLE BotPipelineRuns ADD COLUMN RequestedBy TEXT NULL;
ALTER TABLE BotPipelineRuns ADD COLUMN RequestId INTEGER NULL;
CREATE INDEX IX_BotPipelineRuns_Planned ON BotPipelineRuns (Pipeline, PlannedAt) WHERE PlannedAt IS NOT NULL;

-- System pipelines that were paused. The row of a pipeline that was resumed stays, with who
-- resumed it.
CREATE TABLE BotPipelinePauses (
    Id        INTEGER PRIMARY KEY AUTOINCREMENT,
    Pipeline  TEXT     NOT NULL,
    Paused    INTEGER  NOT NULL DEFAULT 1,
    Reason    TEXT     NOT NULL DEFAULT '',
    ChangedBy TEXT     NOT NULL DEFAULT '',
    ChangedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT UQ_BotPipelinePauses_Pipeline UNIQUE (Pipeline)
);

-- Runs that people asked for. A worker that has the pipeline starts each once.
CREATE TABLE BotRunRequests (
    Id          INTEGER PRIMARY KEY AUTOINCREMENT,
    Pipeline    TEXT     NOT NULL,
    TriggerName TEXT     NOT NULL DEFAULT 'request',
    PlannedAt   DATETIME NULL,
    State       TEXT     NOT NULL DEFAULT 'pending',
    RequestedBy TEXT     NOT NULL,
    RequestedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    ExpiresAt   DATETIME NOT NULL,
    WorkerId    INTEGER  NULL,
    RunId       INTEGER  NULL,
    StartedAt   DATETIME NULL,
    CONSTRAINT CK_BotRunRequests_State CHECK (State IN ('pending', 'started', 'refused', 'expired')),
    CONSTRAINT CK_BotRunRequests_Trigger CHECK (TriggerName = 'request' AND PlannedAt IS NULL OR TriggerName = 'backfill' AND PlannedAt IS NOT NULL)
);
CREATE INDEX IX_BotRunRequests_Pending ON BotRunRequests (Pipeline, Id) WHERE State = 'pending';
CREATE UNIQUE INDEX UX_BotRunRequests_Planned ON BotRunRequests (Pipeline, PlannedAt) WHERE PlannedAt IS NOT NULL AND State IN ('pending', 'started');
CREATE INDEX IX_BotRunRequests_Requested ON BotRunRequests (RequestedAt, Id);

-- +goose Down
DROP TABLE BotRunRequests;
DROP TABLE BotPipelinePauses;
DROP INDEX IX_BotPipelineRuns_Planned;
ALTER TABLE BotPipelineRuns DROP COLUMN RequestId;
ALTER TABLE BotPipelineRuns DROP COLUMN RequestedBy;
ALTER TABLE BotPipelineRuns DROP COLUMN FailedStep;
