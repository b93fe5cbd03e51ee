-- +goose Up

-- Samples by pipeline and by worker. Kind is 'pipeline' for those of the items of a queue, band and pipeline, 'worker'
-- for those of a worker, 'slots' for those of the whole cluster, and empty for those of a queue and band, as before. Name
-- is that of the pipeline or the worker. Offered are the slots of the workers.
CREATE TABLE BotStatisticsGaugesNew (
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
    Kind        TEXT     NOT NULL DEFAULT '',
    Name        TEXT     NOT NULL DEFAULT '',
    Offered     INTEGER  NOT NULL DEFAULT 0,
    MostOffered INTEGER  NOT NULL DEFAULT 0,
    CONSTRAINT PK_BotStatisticsGauges PRIMARY KEY (Resolution, Kind, StartsAt, QueueName, Band, Name),
    CONSTRAINT CK_BotStatisticsGauges_Resolution CHECK (Resolution IN ('minute', 'hour', 'day')),
    CONSTRAINT CK_BotStatisticsGauges_Kind CHECK (Kind IN ('', 'pipeline', 'worker', 'slots'))
);
INSERT INTO BotStatisticsGaugesNew (Resolution, StartsAt, QueueName, Band, Samples, Waiting, MostWaiting, OldestMs, Running, MostRunning)
SELECT Resolution, StartsAt, QueueName, Band, Samples, Waiting, MostWaiting, OldestMs, Running, MostRunning
FROM BotStatisticsGauges;
DROP TABLE BotStatisticsGauges;
ALTER TABLE BotStatisticsGaugesNew RENAME TO BotStatisticsGauges;

-- +goose Down
CREATE TABLE BotStatisticsGaugesOld (
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
INSERT INTO BotStatisticsGaugesOld (Resolution, StartsAt, QueueName, Band, Samples, Waiting, MostWaiting, OldestMs, Running, MostRunning)
SELECT Resolution, StartsAt, QueueName, Band, Samples, Waiting, MostWaiting, OldestMs, Running, MostRunning
FROM BotStatisticsGauges
WHERE Kind = '';
DROP TABLE BotStatisticsGauges;
ALTER TABLE BotStatisticsGaugesOld RENAME TO BotStatisticsGauges;
