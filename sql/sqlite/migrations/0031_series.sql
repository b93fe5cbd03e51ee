-- +goose Up

-- Statistics over time. Each transaction inserts rows that count what it did into
-- BotStatisticsDeltas, so that no transaction waits for another. Workers add them to the
-- sums of their minute, hour and day in BotStatistics and remove them. Several rows may
-- be for the same period and names: their sum counts. Figures is a JSON object of the
-- sums, with the durations of waits and runs by class. KeyHash is the SHA-256 of
-- Resolution, StartsAt and the names, compared with case. BotStatisticsGauges are samples
-- of the backlog and the slots in use, added up. StartsAt is UTC.
CREATE TABLE BotStatisticsDeltas (
    Id         INTEGER PRIMARY KEY,
    At         DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    QueueName  TEXT     NOT NULL,
    Pipeline   TEXT     NOT NULL DEFAULT '',
    Band       TEXT     NOT NULL DEFAULT '',
    WorkerId   INTEGER  NULL,
    Event      TEXT     NOT NULL,
    Kind       TEXT     NOT NULL DEFAULT '',
    Bucket     INTEGER  NOT NULL DEFAULT -1,
    Events     INTEGER  NOT NULL DEFAULT 0,
    DurationMs INTEGER  NOT NULL DEFAULT 0
);

CREATE TABLE BotStatistics (
    Id         INTEGER PRIMARY KEY,
    Resolution TEXT     NOT NULL,
    StartsAt   DATETIME NOT NULL,
    QueueName  TEXT     NOT NULL,
    Pipeline   TEXT     NOT NULL,
    Band       TEXT     NOT NULL,
    WorkerName TEXT     NOT NULL,
    KeyHash    TEXT     NOT NULL,
    Figures    TEXT     NOT NULL,
    CONSTRAINT CK_BotStatistics_Resolution CHECK (Resolution IN ('minute', 'hour', 'day'))
);
CREATE INDEX IX_BotStatistics_Period ON BotStatistics (Resolution, StartsAt);
CREATE INDEX IX_BotStatistics_KeyHash ON BotStatistics (KeyHash);
CREATE INDEX IX_BotStatistics_Queue ON BotStatistics (QueueName);

CREATE TABLE BotStatisticsGauges (
    Resolution  TEXT     NOT NULL,
    StartsAt    DATETIME NOT NULL,
    QueueName   TEXT     NOT NULL,
    Band        TEXT     NOT NULL,
    Samples     INTEGER  NOT NULL,
    Waiting     INTEGER  NOT NULL DEFAULT 0,
    MostWaiting INTEGER  NOT NULL DEFAULT 0,
    OldestMs    INTEGER  NOT NULL DEFAULT 0,
    Running     INTEGER  NOT NULL DEFAULT 0,
    MostRunning INTEGER  NOT NULL DEFAULT 0,
    CONSTRAINT PK_BotStatisticsGauges PRIMARY KEY (Resolution, StartsAt, QueueName, Band),
    CONSTRAINT CK_BotStatisticsGauges_Resolution CHECK (Resolution IN ('minute', 'hour', 'day'))
);

-- What happened before is not counted: until now, the items cannot be compared.
INSERT INTO BotStatisticsDeltas (QueueName, Event)
SELECT q.Name, 'incomplete' FROM BotQueues q
WHERE EXISTS (SELECT 1 FROM BotWorkQueueItems);

-- +goose Down
DROP TABLE BotStatisticsGauges;
DROP TABLE BotStatistics;
DROP TABLE BotStatisticsDeltas;
