-- +goose Up

-- A task is work that comes again and again: a pipeline, its schedule and what it
-- matters. A row with nothing but Name and Pipeline is right: it runs on request.
-- Importance: 0 low, 1 normal, 2 high. Schedule, scope, payload, resilience and
-- notification are JSON. Definition is a hash of what a settings file wrote last;
-- rows made by hand have none. Windows that closed up to SettledUntil have their
-- records in BotScheduleFirings (Schedule is task: and the name).
CREATE TABLE BotTasks (
    Id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    Name                TEXT     NOT NULL,
    Topic               TEXT     NULL,
    Description         TEXT     NULL,
    Active              INTEGER  NOT NULL DEFAULT 1,
    QueueName           TEXT     NOT NULL DEFAULT 'default',
    Pipeline            TEXT     NOT NULL,
    Importance          INTEGER  NOT NULL DEFAULT 1,
    ScheduleConfig      TEXT     NULL,
    Scope               TEXT     NULL,
    Payload             TEXT     NULL,
    ResilienceConfig    TEXT     NULL,
    EstimatedDurationMs INTEGER  NULL,
    NotificationConfig  TEXT     NULL,
    Definition          TEXT     NULL,
    DefinedBy           TEXT     NULL,
    CreatedAt           DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    UpdatedAt           DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    Revision            INTEGER  NOT NULL DEFAULT 1,
    SettledUntil        DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT UQ_BotTasks_Name UNIQUE (Name),
    CONSTRAINT CK_BotTasks_Active CHECK (Active IN (0, 1)),
    CONSTRAINT CK_BotTasks_Importance CHECK (Importance IN (0, 1, 2)),
    CONSTRAINT CK_BotTasks_EstimatedDurationMs CHECK (EstimatedDurationMs >= 0)
);

-- What an item of a task stands for, the priority that the program gave it last (another
-- one is a person's), and when its failure was told of.
ALTER TABLE BotWorkQueueItems ADD COLUMN TaskScope TEXT NULL;
ALTER TABLE BotWorkQueueItems ADD COLUMN TaskPlannedAt DATETIME NULL;
ALTER TABLE BotWorkQueueItems ADD COLUMN TaskPriority INTEGER NULL;
ALTER TABLE BotWorkQueueItems ADD COLUMN TaskNotifiedAt DATETIME NULL;

-- Items of a task that have not ended, that wait, and that failed; copies of an item.
CREATE INDEX IX_BotWorkQueueItems_TaskOpen ON BotWorkQueueItems (TaskName, TaskScope) WHERE State IN (0, 1, 4, 5) AND TaskName IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_TaskWaiting ON BotWorkQueueItems (Id) WHERE State IN (0, 4) AND TaskName IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_TaskFailed ON BotWorkQueueItems (Id) WHERE State = 3 AND TaskName IS NOT NULL AND TaskNotifiedAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_Root ON BotWorkQueueItems (RootId, Id) WHERE RootId IS NOT NULL;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_Root;
DROP INDEX IX_BotWorkQueueItems_TaskFailed;
DROP INDEX IX_BotWorkQueueItems_TaskWaiting;
DROP INDEX IX_BotWorkQueueItems_TaskOpen;
ALTER TABLE BotWorkQueueItems DROP COLUMN TaskNotifiedAt;
ALTER TABLE BotWorkQueueItems DROP COLUMN TaskPriority;
ALTER TABLE BotWorkQueueItems DROP COLUMN TaskPlannedAt;
ALTER TABLE BotWorkQueueItems DROP COLUMN TaskScope;
DROP TABLE BotTasks;
