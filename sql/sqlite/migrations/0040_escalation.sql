-- +goose Up

-- The rules by which items of the queue that wait too long are escalated, as JSON; NULL: none.
ALTER TABLE BotQueues ADD COLUMN Escalation TEXT NULL;

-- What each rule of a queue or pipeline did last. ActiveSince: since when its condition is true; NULL: it is not, or
-- the rule has none.
CREATE TABLE BotEscalations (
    Id          INTEGER  NOT NULL PRIMARY KEY AUTOINCREMENT,
    Scope       TEXT     NOT NULL CONSTRAINT CK_BotEscalations_Scope CHECK (Scope IN ('queue', 'pipeline')),
    OwnerName   TEXT     NOT NULL COLLATE NOCASE,
    RuleName    TEXT     NOT NULL COLLATE NOCASE,
    CheckedAt   DATETIME NOT NULL,
    ActiveSince DATETIME NULL,
    ActedAt     DATETIME NULL,
    Items       INTEGER  NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX UX_BotEscalations_Rule ON BotEscalations (Scope, OwnerName, RuleName);

-- The latest step of each rule that has acted on an item. It counts while the item has this due time.
CREATE TABLE BotItemEscalations (
    ItemId  INTEGER  NOT NULL,
    RuleId  INTEGER  NOT NULL,
    Step    INTEGER  NOT NULL,
    DueAt   DATETIME NOT NULL,
    ActedAt DATETIME NOT NULL,
    CONSTRAINT PK_BotItemEscalations PRIMARY KEY (ItemId, RuleId),
    CONSTRAINT FK_BotItemEscalations_Item FOREIGN KEY (ItemId) REFERENCES BotWorkQueueItems (Id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE BotItemEscalations;
DROP TABLE BotEscalations;
ALTER TABLE BotQueues DROP COLUMN Escalation;
