-- +goose Up

-- A task is work that comes again and again: a pipeline, its schedule and what it
-- matters. A row with nothing but Name and Pipeline is right: it runs on request.
-- Importance: 0 low, 1 normal, 2 high. Schedule, scope, payload, resilience and
-- notification are JSON. Definition is a hash of what a settings file wrote last;
-- rows made by hand have none. Windows that closed up to SettledUntil have their
-- records in BotScheduleFirings (Schedule is task: and the name).
CREATE TABLE BotTasks (
    Id                  BIGINT IDENTITY(1,1) NOT NULL,
    Name                NVARCHAR(200)  NOT NULL,
    Topic               NVARCHAR(200)  NULL,
    Description         NVARCHAR(1000) NULL,
    Active              BIT            NOT NULL CONSTRAINT DF_BotTasks_Active DEFAULT 1,
    QueueName           NVARCHAR(200)  NOT NULL CONSTRAINT DF_BotTasks_QueueName DEFAULT N'default',
    Pipeline            NVARCHAR(MAX)  NOT NULL,
    Importance          INT            NOT NULL CONSTRAINT DF_BotTasks_Importance DEFAULT 1,
    ScheduleConfig      NVARCHAR(MAX)  NULL,
    Scope               NVARCHAR(MAX)  NULL,
    Payload             NVARCHAR(MAX)  NULL,
    ResilienceConfig    NVARCHAR(MAX)  NULL,
    EstimatedDurationMs BIGINT         NULL,
    NotificationConfig  NVARCHAR(MAX)  NULL,
    Definition          NVARCHAR(64)   NULL,
    DefinedBy           NVARCHAR(200)  NULL,
    CreatedAt           DATETIME2(3)   NOT NULL CONSTRAINT DF_BotTasks_CreatedAt DEFAULT SYSUTCDATETIME(),
    UpdatedAt           DATETIME2(3)   NOT NULL CONSTRAINT DF_BotTasks_UpdatedAt DEFAULT SYSUTCDATETIME(),
    Revision            BIGINT         NOT NULL CONSTRAINT DF_BotTasks_Revision DEFAULT 1,
    SettledUntil        DATETIME2(3)   NOT NULL CONSTRAINT DF_BotTasks_SettledUntil DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotTasks PRIMARY KEY (Id),
    CONSTRAINT UQ_BotTasks_Name UNIQUE (Name),
    CONSTRAINT CK_BotTasks_Importance CHECK (Importance IN (0, 1, 2)),
    CONSTRAINT CK_BotTasks_EstimatedDurationMs CHECK (EstimatedDurationMs >= 0)
);

-- What an item of a task stands for, the priority that the program gave it last (another
-- one is a person's), and when its failure was told of.
ALTER TABLE BotWorkQueueItems ADD TaskScope NVARCHAR(200) NULL;
ALTER TABLE BotWorkQueueItems ADD TaskPlannedAt DATETIME2(3) NULL;
ALTER TABLE BotWorkQueueItems ADD TaskPriority INT NULL;
ALTER TABLE BotWorkQueueItems ADD TaskNotifiedAt DATETIME2(3) NULL;

-- Items of a task that have not ended, that wait, and that failed; copies of an item.
CREATE INDEX IX_BotWorkQueueItems_TaskOpen ON BotWorkQueueItems (TaskName, TaskScope) WHERE State IN (0, 1, 4, 5) AND TaskName IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_TaskWaiting ON BotWorkQueueItems (Id) WHERE State IN (0, 4) AND TaskName IS NOT NULL;
CREATE INDEX IX_BotWorkQueueItems_TaskFailed ON BotWorkQueueItems (Id) WHERE State = 3 AND TaskName IS NOT NULL AND TaskNotifiedAt IS NULL;
CREATE INDEX IX_BotWorkQueueItems_Root ON BotWorkQueueItems (RootId, Id) WHERE RootId IS NOT NULL;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_Root ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_TaskFailed ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_TaskWaiting ON BotWorkQueueItems;
DROP INDEX IX_BotWorkQueueItems_TaskOpen ON BotWorkQueueItems;
ALTER TABLE BotWorkQueueItems DROP COLUMN TaskNotifiedAt;
ALTER TABLE BotWorkQueueItems DROP COLUMN TaskPriority;
ALTER TABLE BotWorkQueueItems DROP COLUMN TaskPlannedAt;
ALTER TABLE BotWorkQueueItems DROP COLUMN TaskScope;
DROP TABLE BotTasks;
