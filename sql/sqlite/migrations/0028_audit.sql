-- +goose Up

-- Who changed what on request, when, how and why: one row for each command, robot's call or
-- rule, written in the transaction of the change. What a command changes in several
-- transactions is one row, found by its Operation, to which each transaction adds.
CREATE TABLE BotAuditLog (
    Id         INTEGER PRIMARY KEY AUTOINCREMENT,
    At         DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    Actor      TEXT     NOT NULL DEFAULT '',
    Via        TEXT     NOT NULL,
    Host       TEXT     NOT NULL DEFAULT '',
    Action     TEXT     NOT NULL,
    TargetKind TEXT     NOT NULL,
    Target     TEXT     NOT NULL DEFAULT '',
    Filter     TEXT     NULL,
    Changed    INTEGER  NOT NULL DEFAULT 1,
    Before     TEXT     NULL,
    After      TEXT     NULL,
    Reason     TEXT     NOT NULL DEFAULT '',
    Operation  TEXT     NULL
);
CREATE UNIQUE INDEX UX_BotAuditLog_Operation ON BotAuditLog (Operation, Action) WHERE Operation IS NOT NULL;
CREATE INDEX IX_BotAuditLog_At ON BotAuditLog (At, Id);
CREATE INDEX IX_BotAuditLog_Actor ON BotAuditLog (Actor, Id);
CREATE INDEX IX_BotAuditLog_Action ON BotAuditLog (Action, Id);
CREATE INDEX IX_BotAuditLog_Target ON BotAuditLog (TargetKind, Target, Id);

-- The items that an entry is about, each with the values that changed.
CREATE TABLE BotAuditItems (
    Id      INTEGER PRIMARY KEY AUTOINCREMENT,
    AuditId INTEGER NOT NULL,
    ItemId  INTEGER NOT NULL,
    Before  TEXT    NULL,
    After   TEXT    NULL,
    CONSTRAINT FK_BotAuditItems_Log FOREIGN KEY (AuditId) REFERENCES BotAuditLog (Id)
);
CREATE INDEX IX_BotAuditItems_Audit ON BotAuditItems (AuditId, Id);
CREATE INDEX IX_BotAuditItems_Item ON BotAuditItems (ItemId, AuditId);

-- +goose Down
DROP TABLE BotAuditItems;
DROP TABLE BotAuditLog;
