-- +goose Up

-- Samples by pipeline and by worker. Kind is 'pipeline' for those of the items of a queue, band and pipeline, 'worker'
-- for those of a worker, 'slots' for those of the whole cluster, and empty for those of a queue and band, as before. Name
-- is that of the pipeline or the worker. Offered are the slots of the workers.
ALTER TABLE BotStatisticsGauges ADD Kind NVARCHAR(10) NOT NULL CONSTRAINT DF_BotStatisticsGauges_Kind DEFAULT N'';
ALTER TABLE BotStatisticsGauges ADD Name NVARCHAR(200) NOT NULL CONSTRAINT DF_BotStatisticsGauges_Name DEFAULT N'';
ALTER TABLE BotStatisticsGauges ADD Offered BIGINT NOT NULL CONSTRAINT DF_BotStatisticsGauges_Offered DEFAULT 0;
ALTER TABLE BotStatisticsGauges ADD MostOffered BIGINT NOT NULL CONSTRAINT DF_BotStatisticsGauges_MostOffered DEFAULT 0;
ALTER TABLE BotStatisticsGauges DROP CONSTRAINT PK_BotStatisticsGauges;
ALTER TABLE BotStatisticsGauges ADD
    CONSTRAINT PK_BotStatisticsGauges PRIMARY KEY (Resolution, Kind, StartsAt, QueueName, Band, Name);
ALTER TABLE BotStatisticsGauges ADD
    CONSTRAINT CK_BotStatisticsGauges_Kind CHECK (Kind IN (N'', N'pipeline', N'worker', N'slots'));

-- +goose Down
DELETE FROM BotStatisticsGauges WHERE Kind <> N'';
ALTER TABLE BotStatisticsGauges DROP CONSTRAINT CK_BotStatisticsGauges_Kind;
ALTER TABLE BotStatisticsGauges DROP CONSTRAINT PK_BotStatisticsGauges;
ALTER TABLE BotStatisticsGauges DROP CONSTRAINT DF_BotStatisticsGauges_Kind;
ALTER TABLE BotStatisticsGauges DROP CONSTRAINT DF_BotStatisticsGauges_Name;
ALTER TABLE BotStatisticsGauges DROP CONSTRAINT DF_BotStatisticsGauges_Offered;
ALTER TABLE BotStatisticsGauges DROP CONSTRAINT DF_BotStatisticsGauges_MostOffered;
ALTER TABLE BotStatisticsGauges DROP COLUMN Kind;
ALTER TABLE BotStatisticsGauges DROP COLUMN Name;
ALTER TABLE BotStatisticsGauges DROP COLUMN Offered;
ALTER TABLE BotStatisticsGauges DROP COLUMN MostOffered;
ALTER TABLE BotStatisticsGauges ADD
    CONSTRAINT PK_BotStatisticsGauges PRIMARY KEY (Resolution, StartsAt, QueueName, Band);
