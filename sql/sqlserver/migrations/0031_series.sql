-- +goose Up

-- Statistics over time. Each transaction inserts rows that count what it did into
-- BotStatisticsDeltas, so that no transaction waits for another. Workers add them to the
-- sums of their minute, hour and day in BotStatistics and remove them. Several rows may
-- be for the same period and names: their sum counts. Figures is a JSON object of the
-- sums, with the durations of waits and runs by class. KeyHash is the SHA-256 of
-- Resolution, StartsAt and the names, compared with case. BotStatisticsGauges are samples
-- of the backlog and the slots in use, added up. StartsAt is UTC.
CREATE TABLE BotStatisticsDeltas (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    At         DATETIME2(3)  NOT NULL CONSTRAINT DF_BotStatisticsDeltas_At DEFAULT SYSUTCDATETIME(),
    QueueName  NVARCHAR(200) NOT NULL,
    Pipeline   NVARCHAR(200) NOT NULL CONSTRAINT DF_BotStatisticsDeltas_Pipeline DEFAULT N'',
    Band       NVARCHAR(10)  NOT NULL CONSTRAINT DF_BotStatisticsDeltas_Band DEFAULT N'',
    WorkerId   BIGINT        NULL,
    Event      NVARCHAR(20)  NOT NULL,
    Kind       NVARCHAR(50)  NOT NULL CONSTRAINT DF_BotStatisticsDeltas_Kind DEFAULT N'',
    Bucket     INT           NOT NULL CONSTRAINT DF_BotStatisticsDeltas_Bucket DEFAULT -1,
    Events     BIGINT        NOT NULL CONSTRAINT DF_BotStatisticsDeltas_Events DEFAULT 0,
    DurationMs BIGINT        NOT NULL CONSTRAINT DF_BotStatisticsDeltas_DurationMs DEFAULT 0,
    CONSTRAINT PK_BotStatisticsDeltas PRIMARY KEY (Id)
);

CREATE TABLE BotStatistics (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    Resolution NVARCHAR(10)  NOT NULL,
    StartsAt   DATETIME2(3)  NOT NULL,
    QueueName  NVARCHAR(200) NOT NULL,
    Pipeline   NVARCHAR(200) NOT NULL,
    Band       NVARCHAR(10)  NOT NULL,
    WorkerName NVARCHAR(400) NOT NULL,
    KeyHash    NVARCHAR(64)  NOT NULL,
    Figures    NVARCHAR(MAX) NOT NULL,
    CONSTRAINT PK_BotStatistics PRIMARY KEY (Id),
    CONSTRAINT CK_BotStatistics_Resolution CHECK (Resolution IN (N'minute', N'hour', N'day'))
);
CREATE INDEX IX_BotStatistics_Period ON BotStatistics (Resolution, StartsAt);
CREATE INDEX IX_BotStatistics_KeyHash ON BotStatistics (KeyHash);
CREATE INDEX IX_BotStatistics_Queue ON BotStatistics (QueueName);

CREATE TABLE BotStatisticsGauges (
    Resolution  NVARCHAR(10)  NOT NULL,
    StartsAt    DATETIME2(3)  NOT NULL,
    QueueName   NVARCHAR(200) NOT NULL,
    Band        NVARCHAR(10)  NOT NULL,
    Samples     BIGINT        NOT NULL,
    Waiting     BIGINT        NOT NULL CONSTRAINT DF_BotStatisticsGauges_Waiting DEFAULT 0,
    MostWaiting BIGINT        NOT NULL CONSTRAINT DF_BotStatisticsGauges_MostWaiting DEFAULT 0,
    OldestMs    BIGINT        NOT NULL CONSTRAINT DF_BotStatisticsGauges_OldestMs DEFAULT 0,
    Running     BIGINT        NOT NULL CONSTRAINT DF_BotStatisticsGauges_Running DEFAULT 0,
    MostRunning BIGINT        NOT NULL CONSTRAINT DF_BotStatisticsGauges_MostRunning DEFAULT 0,
    CONSTRAINT PK_BotStatisticsGauges PRIMARY KEY (Resolution, StartsAt, QueueName, Band),
    CONSTRAINT CK_BotStatisticsGauges_Resolution CHECK (Resolution IN (N'minute', N'hour', N'day'))
);

-- What happened before is not counted: until now, the items cannot be compared.
INSERT INTO BotStatisticsDeltas (QueueName, Event)
SELECT q.Name, N'incomplete' FROM BotQueues q
WHERE EXISTS (SELECT 1 FROM BotWorkQueueItems);

-- +goose Down
DROP TABLE BotStatisticsGauges;
DROP TABLE BotStatistics;
DROP TABLE BotStatisticsDeltas;
