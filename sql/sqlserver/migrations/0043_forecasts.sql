-- +goose Up

-- Forecasts of items that waited, kept to compare them with what happened. MadeAt is when the forecast was
-- made. QueueName, Priority, DueAt and Failures (RetryCount) are those of the item when the forecast was kept: with others, the
-- item was changed since. A time is NULL if it is after the end of the forecast.
CREATE TABLE BotForecasts (
    Id        BIGINT IDENTITY(1,1) NOT NULL,
    MadeAt    DATETIME2(3)  NOT NULL,
    ItemId    BIGINT        NOT NULL,
    QueueName NVARCHAR(200) NOT NULL,
    Pipeline  NVARCHAR(200) NOT NULL,
    Priority  INT           NOT NULL,
    DueAt     DATETIME2(3)  NOT NULL,
    Failures  INT           NOT NULL,
    StartP50  DATETIME2(3)  NULL,
    StartP95  DATETIME2(3)  NULL,
    EndP50    DATETIME2(3)  NULL,
    EndP95    DATETIME2(3)  NULL,
    CONSTRAINT PK_BotForecasts PRIMARY KEY (Id)
);
CREATE INDEX IX_BotForecasts_Made ON BotForecasts (MadeAt, Id);

-- +goose Down
DROP TABLE BotForecasts;
