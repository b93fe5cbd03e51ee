-- +goose Up

-- What commands that write in batches have written: one row for each part of a
-- command, written in the transaction of the part itself. A command that got no answer
-- looks here for what became of it, and no part is done twice under one key. Digest is
-- of the part's input, Result of its answer, as JSON; Items is how many items it was about.
CREATE TABLE BotBatches (
    Id        INTEGER PRIMARY KEY AUTOINCREMENT,
    BatchKey  TEXT     NOT NULL,
    Part      INTEGER  NOT NULL,
    Kind      TEXT     NOT NULL,
    Items     INTEGER  NOT NULL,
    Digest    TEXT     NOT NULL,
    Result    TEXT     NOT NULL,
    CreatedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT UQ_BotBatches_Part UNIQUE (BatchKey, Part)
);
CREATE INDEX IX_BotBatches_Created ON BotBatches (CreatedAt);

-- +goose Down
DROP TABLE BotBatches;
