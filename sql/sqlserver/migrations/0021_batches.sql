-- +goose Up

-- What commands that write in batches have written: one row for each part of a
-- command, written in the transaction of the part itself. A command that got no answer
-- looks here for what became of it, and no part is done twice under one key. Digest is
-- of the part's input, Result of its answer, as JSON; Items is how many items it was about.
CREATE TABLE BotBatches (
    Id        BIGINT IDENTITY(1,1) NOT NULL,
    BatchKey  NVARCHAR(100) NOT NULL,
    Part      BIGINT        NOT NULL,
    Kind      NVARCHAR(50)  NOT NULL,
    Items     BIGINT        NOT NULL,
    Digest    NVARCHAR(64)  NOT NULL,
    Result    NVARCHAR(MAX) NOT NULL,
    CreatedAt DATETIME2(3)  NOT NULL CONSTRAINT DF_BotBatches_CreatedAt DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotBatches PRIMARY KEY (Id),
    CONSTRAINT UQ_BotBatches_Part UNIQUE (BatchKey, Part)
);
CREATE INDEX IX_BotBatches_Created ON BotBatches (CreatedAt);

-- +goose Down
DROP TABLE BotBatches;
