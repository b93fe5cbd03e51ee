-- +goose Up

-- Samples by pipeline and by worker. Kind is 'pipeline' for those of the items of a queue, band and pipeline, 'worker'
-- for those of a worker, 'slots' for those of the whole cluster, and empty for those of a queue and band, as before. Name
-- is that of the pipeline or the worker. Offered are the slots of the workers.
ALTER TABLE "BotStatisticsGauges"
    ADD COLUMN "Kind"        VARCHAR(10)  NOT NULL DEFAULT '',
    ADD COLUMN "Name"        VARCHAR(200) NOT NULL DEFAULT '',
    ADD COLUMN "Offered"     BIGINT       NOT NULL DEFAULT 0,
    ADD COLUMN "MostOffered" BIGINT       NOT NULL DEFAULT 0,
    DROP CONSTRAINT "PK_BotStatisticsGauges",
    ADD CONSTRAINT "PK_BotStatisticsGauges" PRIMARY KEY ("Resolution", "Kind", "StartsAt", "QueueName", "Band", "Name"),
    ADD CONSTRAINT "CK_BotStatisticsGauges_Kind" CHECK ("Kind" IN ('', 'pipeline', 'worker', 'slots'));

-- +goose Down
DELETE FROM "BotStatisticsGauges" WHERE "Kind" <> '';
ALTER TABLE "BotStatisticsGauges"
    DROP CONSTRAINT "CK_BotStatisticsGauges_Kind",
    DROP CONSTRAINT "PK_BotStatisticsGauges",
    DROP COLUMN "Kind",
    DROP COLUMN "Name",
    DROP COLUMN "Offered",
    DROP COLUMN "MostOffered",
    ADD CONSTRAINT "PK_BotStatisticsGauges" PRIMARY KEY ("Resolution", "StartsAt", "QueueName", "Band");
