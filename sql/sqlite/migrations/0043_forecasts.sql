-- +goose Up

-- Forecasts of items that waited, kept to compare them with what happened. MadeAt is when the forecast was
-- made. QueueName, Priority, DueAt and Failures (RetryCount) are those of the item when the forecast was kept: with others, the
-- item was changed since. A time is NULL if it is after the end of the forecast.
CREATE TABLE BotForecasts (
    Id        INTEGER  NOT NULL PRIMARY KEY AUTOINCREMENT,
    MadeAt    DATETIME NOT NULL,
    ItemId    INTEGER  NOT NULL,
    QueueName TEXT     NOT NULL,
    Pipeline  TEXT     NOT NULL,
    Priority  INTEGER  NOT NULL,
    DueAt     DATETIME NOT NULL,
    Failures  INTEGER  NOT NULL,
    StartP50  DATETIME NULL,
    StartP95  DATETIME NULL,
    EndP50    DATETIME NULL,
    EndP95    DATETIME NULL
);
CREATE INDEX IX_BotForecasts_Made ON BotForecasts (MadeAt, Id);

-- +goose Down
DROP TABLE BotForecasts;
