-- +goose Up

-- How long runs that ended well have taken lately, learned from each of them: of a
-- pipeline (Name is empty), of a task's items (Name is the task) and of items whose
-- natural keys begin alike (Name is that beginning). KeyHash is the SHA-256 of the
-- three, so that letters count to the last on every engine. MeanMs and ErrorMs, by
-- which the estimates were off, are exponentially weighted; Histogram holds weights
-- by classes of durations as JSON, and P90Ms is read from it.
CREATE TABLE BotDurations (
    Id        INTEGER PRIMARY KEY AUTOINCREMENT,
    KeyHash   TEXT     NOT NULL,
    Kind      TEXT     NOT NULL,
    Pipeline  TEXT     NOT NULL,
    Name      TEXT     NOT NULL,
    Runs      INTEGER  NOT NULL,
    MeanMs    REAL     NOT NULL,
    P90Ms     INTEGER  NOT NULL,
    ErrorMs   REAL     NOT NULL,
    Histogram TEXT     NOT NULL,
    Version   INTEGER  NOT NULL DEFAULT 1,
    UpdatedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT UQ_BotDurations_KeyHash UNIQUE (KeyHash),
    CONSTRAINT CK_BotDurations_Kind CHECK (Kind IN ('pipeline', 'task', 'key'))
);
CREATE INDEX IX_BotDurations_Updated ON BotDurations (UpdatedAt, Id);

-- +goose Down
DROP TABLE BotDurations;
