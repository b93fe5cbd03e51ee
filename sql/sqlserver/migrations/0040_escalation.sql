-- +goose Up

-- The rules by which items of the queue that wait too long are escalated, as JSON; NULL: none.
ALTER TABLE BotQueues ADD Escalation NVARCHAR(MAX) NULL;

-- What each rule of a queue or pipeline did last. ActiveSince: since when its condition is true; NULL: it is not, or
-- the rule has none.
CREATE TABLE BotEscalations (
    Id          BIGINT IDENTITY(1,1) NOT NULL,
    Scope       NVARCHAR(20)  NOT NULL CONSTRAINT CK_BotEscalations_Scope CHECK (Scope IN (N'queue', N'pipeline')),
    OwnerName   NVARCHAR(200) NOT NULL,
    RuleName    NVARCHAR(100) NOT NULL,
    CheckedAt   DATETIME2(3)  NOT NULL,
    ActiveSince DATETIME2(3)  NULL,
    ActedAt     DATETIME2(3)  NULL,
    Items       BIGINT        NOT NULL CONSTRAINT DF_BotEscalations_Items DEFAULT 0,
    CONSTRAINT PK_BotEscalations PRIMARY KEY (Id)
);
CREATE UNIQUE INDEX UX_BotEscalations_Rule ON BotEscalations (Scope, OwnerName, RuleName);

-- The latest step of each rule that has acted on an item. It counts while the item has this due time.
CREATE TABLE BotItemEscalations (
    ItemId  BIGINT       NOT NULL,
    RuleId  BIGINT       NOT NULL,
    Step    INT          NOT NULL,
    DueAt   DATETIME2(3) NOT NULL,
    ActedAt DATETIME2(3) NOT NULL,
    CONSTRAINT PK_BotItemEscalations PRIMARY KEY (ItemId, RuleId),
    CONSTRAINT FK_BotItemEscalations_Item FOREIGN KEY (ItemId) REFERENCES BotWorkQueueItems (Id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE BotItemEscalations;
DROP TABLE BotEscalations;
ALTER TABLE BotQueues DROP COLUMN Escalation;
