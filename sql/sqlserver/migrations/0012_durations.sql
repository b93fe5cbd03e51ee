-- +goose Up

-- How long runs that ended well have taken lately, learned from each of them: of a
-- pipeline (Name is empty), of a task's items (Name is the task) and of items whose
-- natural keys begin alike (Name is that beginning). KeyHash is the SHA-256 of the
-- three, so that letters count to the last on every engine. MeanMs and ErrorMs, by
-- which the estimates were off, are exponentially weighted; Histogram holds weights
-- by classes of durations as JSON, and P90Ms is read from it.
CREATE TABLE BotDurations (
    Id        BIGINT IDENTITY(1,1) NOT NULL,
    KeyHash   NVARCHAR(64)  NOT NULL,
    Kind      NVARCHAR(20)  NOT NULL,
    Pipeline  NVARCHAR(200) NOT NULL,
    Name      NVARCHAR(400) NOT NULL,
    Runs      BIGINT        NOT NULL,
    MeanMs    FLOAT         NOT NULL,
    P90Ms     BIGINT        NOT NULL,
    ErrorMs   FLOAT         NOT NULL,
    Histogram NVARCHAR(MAX) NOT NULL,
    Version   BIGINT        NOT NULL CONSTRAINT DF_BotDurations_Version DEFAULT 1,
    UpdatedAt DATETIME2(3)  NOT NULL CONSTRAINT DF_BotDurations_UpdatedAt DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotDurations PRIMARY KEY (Id),
    CONSTRAINT UQ_BotDurations_KeyHash UNIQUE (KeyHash),
    CONSTRAINT CK_BotDurations_Kind CHECK (Kind IN (N'pipeline', N'task', N'key'))
);
CREATE INDEX IX_BotDurations_Updated ON BotDurations (UpdatedAt, Id);

-- +goose Down
DROP TABLE BotDurations;
