-- +goose Up

-- What the attempts of an item have recorded of its steps, for the next attempt: it goes on at the first step without a
-- record. Number is the order. Data is opaque, and sealed if the item is encrypted. Fence is that of the last writer.
CREATE TABLE BotWorkItemSteps (
    ItemId     INTEGER  NOT NULL,
    Number     INTEGER  NOT NULL,
    Step       TEXT     NOT NULL,
    Data       TEXT     NOT NULL,
    Fence      INTEGER  NOT NULL,
    RecordedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT PK_BotWorkItemSteps PRIMARY KEY (ItemId, Step),
    CONSTRAINT FK_BotWorkItemSteps_Item FOREIGN KEY (ItemId) REFERENCES BotWorkQueueItems (Id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE BotWorkItemSteps;
