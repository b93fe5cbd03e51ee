-- +goose Up

-- Who may use the API and the pages: API tokens, users with their sessions and sign-in links, and
-- the answers to requests with an Idempotency-Key. Hash is the SHA-256 of a secret, which is not
-- stored. NameKey is the name in lower case. Queues is a JSON array; NULL means all queues. A
-- session whose IdleUntil has passed has ended; IdleUntil is never after ExpiresAt. KeyHash is the
-- SHA-256 of CallerName and IdempotencyKey, compared with case; Status is 0 until there is an answer.
CREATE TABLE BotTokens (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    Name       NVARCHAR(200) NOT NULL,
    NameKey    NVARCHAR(200) NOT NULL,
    Start      NVARCHAR(20)  NOT NULL,
    Hash       NVARCHAR(64)  NOT NULL,
    Role       NVARCHAR(20)  NOT NULL,
    Queues     NVARCHAR(MAX) NULL,
    CreatedAt  DATETIME2(3)  NOT NULL CONSTRAINT DF_BotTokens_CreatedAt DEFAULT SYSUTCDATETIME(),
    CreatedBy  NVARCHAR(200) NOT NULL CONSTRAINT DF_BotTokens_CreatedBy DEFAULT N'',
    ExpiresAt  DATETIME2(3)  NULL,
    RevokedAt  DATETIME2(3)  NULL,
    RevokedBy  NVARCHAR(200) NULL,
    LastUsedAt DATETIME2(3)  NULL,
    CONSTRAINT PK_BotTokens PRIMARY KEY (Id)
);
CREATE UNIQUE INDEX UX_BotTokens_Hash ON BotTokens (Hash);
CREATE UNIQUE INDEX UX_BotTokens_Name ON BotTokens (NameKey) WHERE RevokedAt IS NULL;

CREATE TABLE BotUsers (
    Id           BIGINT IDENTITY(1,1) NOT NULL,
    Name         NVARCHAR(200) NOT NULL,
    NameKey      NVARCHAR(200) NOT NULL,
    Role         NVARCHAR(20)  NOT NULL,
    Queues       NVARCHAR(MAX) NULL,
    PasswordHash NVARCHAR(500) NULL,
    Subject      NVARCHAR(450) NULL,
    CreatedAt    DATETIME2(3)  NOT NULL CONSTRAINT DF_BotUsers_CreatedAt DEFAULT SYSUTCDATETIME(),
    CreatedBy    NVARCHAR(200) NOT NULL CONSTRAINT DF_BotUsers_CreatedBy DEFAULT N'',
    SignedInAt   DATETIME2(3)  NULL,
    DisabledAt   DATETIME2(3)  NULL,
    Failures     INT           NOT NULL CONSTRAINT DF_BotUsers_Failures DEFAULT 0,
    LockedUntil  DATETIME2(3)  NULL,
    Revision     BIGINT        NOT NULL CONSTRAINT DF_BotUsers_Revision DEFAULT 0,
    CONSTRAINT PK_BotUsers PRIMARY KEY (Id)
);
CREATE UNIQUE INDEX UX_BotUsers_Name ON BotUsers (NameKey);
CREATE UNIQUE INDEX UX_BotUsers_Subject ON BotUsers (Subject) WHERE Subject IS NOT NULL;

CREATE TABLE BotSessions (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    UserId     BIGINT         NOT NULL,
    Hash       NVARCHAR(64)   NOT NULL,
    CreatedAt  DATETIME2(3)   NOT NULL CONSTRAINT DF_BotSessions_CreatedAt DEFAULT SYSUTCDATETIME(),
    SeenAt     DATETIME2(3)   NOT NULL CONSTRAINT DF_BotSessions_SeenAt DEFAULT SYSUTCDATETIME(),
    IdleUntil  DATETIME2(3)   NOT NULL,
    ExpiresAt  DATETIME2(3)   NOT NULL,
    Address    NVARCHAR(200)  NOT NULL CONSTRAINT DF_BotSessions_Address DEFAULT N'',
    UserAgent  NVARCHAR(1000) NOT NULL CONSTRAINT DF_BotSessions_UserAgent DEFAULT N'',
    SignedInBy NVARCHAR(20)   NOT NULL CONSTRAINT DF_BotSessions_SignedInBy DEFAULT N'',
    CONSTRAINT PK_BotSessions PRIMARY KEY (Id),
    CONSTRAINT FK_BotSessions_User FOREIGN KEY (UserId) REFERENCES BotUsers (Id)
);
CREATE UNIQUE INDEX UX_BotSessions_Hash ON BotSessions (Hash);
CREATE INDEX IX_BotSessions_User ON BotSessions (UserId);
CREATE INDEX IX_BotSessions_IdleUntil ON BotSessions (IdleUntil, Id);

CREATE TABLE BotSignInLinks (
    Id        BIGINT IDENTITY(1,1) NOT NULL,
    UserId    BIGINT       NOT NULL,
    Hash      NVARCHAR(64) NOT NULL,
    CreatedAt DATETIME2(3) NOT NULL CONSTRAINT DF_BotSignInLinks_CreatedAt DEFAULT SYSUTCDATETIME(),
    ExpiresAt DATETIME2(3) NOT NULL,
    CONSTRAINT PK_BotSignInLinks PRIMARY KEY (Id),
    CONSTRAINT FK_BotSignInLinks_User FOREIGN KEY (UserId) REFERENCES BotUsers (Id)
);
CREATE UNIQUE INDEX UX_BotSignInLinks_Hash ON BotSignInLinks (Hash);
CREATE INDEX IX_BotSignInLinks_User ON BotSignInLinks (UserId);
CREATE INDEX IX_BotSignInLinks_ExpiresAt ON BotSignInLinks (ExpiresAt, Id);

CREATE TABLE BotApiAnswers (
    Id             BIGINT IDENTITY(1,1) NOT NULL,
    KeyHash        NVARCHAR(64)  NOT NULL,
    CallerName     NVARCHAR(200) NOT NULL,
    IdempotencyKey NVARCHAR(200) NOT NULL,
    RequestHash    NVARCHAR(64)  NOT NULL,
    Status         INT           NOT NULL CONSTRAINT DF_BotApiAnswers_Status DEFAULT 0,
    Body           NVARCHAR(MAX) NOT NULL CONSTRAINT DF_BotApiAnswers_Body DEFAULT N'',
    At             DATETIME2(3)  NOT NULL CONSTRAINT DF_BotApiAnswers_At DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotApiAnswers PRIMARY KEY (Id)
);
CREATE UNIQUE INDEX UX_BotApiAnswers_KeyHash ON BotApiAnswers (KeyHash);
CREATE INDEX IX_BotApiAnswers_At ON BotApiAnswers (At, Id);

-- +goose Down
DROP TABLE BotApiAnswers;
DROP TABLE BotSignInLinks;
DROP TABLE BotSessions;
DROP TABLE BotUsers;
DROP TABLE BotTokens;
