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
    Id          INTEGER NOT NULL,
    Version     INTEGER NOT NULL DEFAULT 0,
    EvaluatedAt DATETIME NULL,
    EvaluatedBy TEXT NOT NULL DEFAULT '',
    Positions   TEXT NULL,
    CONSTRAINT PK_BotNotificationState PRIMARY KEY (Id)
);

CREATE TABLE BotNotificationSeen (
    Source TEXT NOT NULL,
    RefId  INTEGER NOT NULL,
    At     DATETIME NOT NULL,
    CONSTRAINT PK_BotNotificationSeen PRIMARY KEY (Source, RefId, At)
);

CREATE TABLE BotNotificationMutes (
    Id         INTEGER PRIMARY KEY AUTOINCREMENT,
    KeyHash    TEXT NOT NULL,
    RuleName   TEXT NOT NULL,
    GroupName  TEXT NOT NULL DEFAULT '',
    MutedUntil DATETIME NOT NULL,
    Reason     TEXT NOT NULL DEFAULT '',
    MutedBy    TEXT NOT NULL DEFAULT '',
    MutedAt    DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
);

CREATE TABLE BotAlerts (
    Id         INTEGER PRIMARY KEY AUTOINCREMENT,
    KeyHash    TEXT NOT NULL,
    RuleName   TEXT NOT NULL,
    GroupName  TEXT NOT NULL DEFAULT '',
    State      TEXT NOT NULL,
    StartedAt  DATETIME NOT NULL,
    LastAt     DATETIME NOT NULL,
    EndedAt    DATETIME NULL,
    SentAt     DATETIME NULL,
    Events     INTEGER NOT NULL DEFAULT 0,
    Occurrence INTEGER NOT NULL DEFAULT 1,
    Memory     TEXT NULL,
    CONSTRAINT CK_BotAlerts_State CHECK (State IN ('pending', 'firing', 'ok'))
);

CREATE TABLE BotEvents (
    Id         INTEGER PRIMARY KEY AUTOINCREMENT,
    At         DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    Kind       TEXT NOT NULL,
    QueueName  TEXT NOT NULL DEFAULT '',
    Pipeline   TEXT NOT NULL DEFAULT '',
    WorkerName TEXT NOT NULL DEFAULT '',
    ItemId     INTEGER NULL,
    Detail     TEXT NOT NULL DEFAULT ''
);

INSERT INTO BotNotificationState (Id) VALUES (1);

CREATE INDEX IX_BotNotificationSeen_At ON BotNotificationSeen (At);
CREATE UNIQUE INDEX UX_BotNotificationMutes_KeyHash ON BotNotificationMutes (KeyHash);
CREATE UNIQUE INDEX UX_BotAlerts_KeyHash ON BotAlerts (KeyHash);
CREATE INDEX IX_BotWorkQueueItems_ArchivedAt ON BotWorkQueueItems (FinishedAt, Id) WHERE State = 3 AND DeletedAt IS NULL;
CREATE INDEX IX_BotPipelineRuns_Failed ON BotPipelineRuns (FinishedAt, Id) WHERE Outcome = 'failed';
CREATE INDEX IX_BotScheduleFirings_Missed ON BotScheduleFirings (RecordedAt, Id) WHERE Outcome = 'missed';

-- +goose Down
DROP INDEX IX_BotScheduleFirings_Missed;
DROP INDEX IX_BotPipelineRuns_Failed;
DROP INDEX IX_BotWorkQueueItems_ArchivedAt;
DROP TABLE BotEvents;
DROP TABLE BotAlerts;
DROP TABLE BotNotificationMutes;
DROP TABLE BotNotificationSeen;
DROP TABLE BotNotificationState;
