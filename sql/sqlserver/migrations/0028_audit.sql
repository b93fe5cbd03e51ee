-- +goose Up

-- Who changed what on request, when, how and why: one row for each command, robot's call or
-- rule, written in the transaction of the change. What a command changes in several
-- transactions is one row, found by its Operation, to which each transaction adds.
CREATE TABLE BotAuditLog (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    At         DATETIME2(3)   NOT NULL CONSTRAINT DF_BotAuditLog_At DEFAULT SYSUTCDATETIME(),
    Actor      NVARCHAR(200)  NOT NULL CONSTRAINT DF_BotAuditLog_Actor DEFAULT N'',
    Via        NVARCHAR(20)   NOT NULL,
    Host       NVARCHAR(200)  NOT NULL CONSTRAINT DF_BotAuditLog_Host DEFAULT N'',
    Action     NVARCHAR(50)   NOT NULL,
    TargetKind NVARCHAR(20)   NOT NULL,
    Target     NVARCHAR(200)  NOT NULL CONSTRAINT DF_BotAuditLog_Target DEFAULT N'',
    Filter     NVARCHAR(MAX)  NULL,
    Changed    BIGINT         NOT NULL CONSTRAINT DF_BotAuditLog_Changed DEFAULT 1,
    Before     NVARCHAR(MAX)  NULL,
    After      NVARCHAR(MAX)  NULL,
    Reason     NVARCHAR(1000) NOT NULL CONSTRAINT DF_BotAuditLog_Reason DEFAULT N'',
    Operation  NVARCHAR(100)  NULL,
    CONSTRAINT PK_BotAuditLog PRIMARY KEY (Id)
);
CREATE UNIQUE INDEX UX_BotAuditLog_Operation ON BotAuditLog (Operation, Action) WHERE Operation IS NOT NULL;
CREATE INDEX IX_BotAuditLog_At ON BotAuditLog (At, Id);
CREATE INDEX IX_BotAuditLog_Actor ON BotAuditLog (Actor, Id);
CREATE INDEX IX_BotAuditLog_Action ON BotAuditLog (Action, Id);
CREATE INDEX IX_BotAuditLog_Target ON BotAuditLog (TargetKind, Target, Id);

-- The items that an entry is about, each with the values that changed.
CREATE TABLE BotAuditItems (
    Id      BIGINT IDENTITY(1,1) NOT NULL,
    AuditId BIGINT        NOT NULL,
    ItemId  BIGINT        NOT NULL,
    Before  NVARCHAR(MAX) NULL,
    After   NVARCHAR(MAX) NULL,
    CONSTRAINT PK_BotAuditItems PRIMARY KEY (Id),
    CONSTRAINT FK_BotAuditItems_Log FOREIGN KEY (AuditId) REFERENCES BotAuditLog (Id)
);
CREATE INDEX IX_BotAuditItems_Audit ON BotAuditItems (AuditId, Id);
CREATE INDEX IX_BotAuditItems_Item ON BotAuditItems (ItemId, AuditId);

-- +goose Down
DROP TABLE BotAuditItems;
DROP TABLE BotAuditLog;
