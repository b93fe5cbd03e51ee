-- +goose Up

-- Who may use the API and the pages: API tokens, users with their sessions and sign-in links, and
-- the answers to requests with an Idempotency-Key. Hash is the SHA-256 of a secret, which is not
-- stored. NameKey is the name in lower case. Queues is a JSON array; NULL means all queues. A
-- session whose IdleUntil has passed has ended; IdleUntil is never after ExpiresAt. KeyHash is the
-- SHA-256 of CallerName and IdempotencyKey, compared with case; Status is 0 until there is an answer.
CREATE TABLE BotTokens (
    Id         INTEGER PRIMARY KEY AUTOINCREMENT,
    Name       TEXT     NOT NULL,
    NameKey    TEXT     NOT NULL,
    Start      TEXT     NOT NULL,
    Hash       TEXT     NOT NULL,
    Role       TEXT     NOT NULL,
    Queues     TEXT     NULL,
    CreatedAt  DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CreatedBy  TEXT     NOT NULL DEFAULT '',
    ExpiresAt  DATETIME NULL,
    RevokedAt  DATETIME NULL,
    RevokedBy  TEXT     NULL,
    LastUsedAt DATETIME NULL
);
CREATE UNIQUE INDEX UX_BotTokens_Hash ON BotTokens (Hash);
CREATE UNIQUE INDEX UX_BotTokens_Name ON BotTokens (NameKey) WHERE RevokedAt IS NULL;

CREATE TABLE BotUsers (
    Id           INTEGER PRIMARY KEY AUTOINCREMENT,
    Name         TEXT     NOT NULL,
    NameKey      TEXT     NOT NULL,
    Role         TEXT     NOT NULL,
    Queues       TEXT     NULL,
    PasswordHash TEXT     NULL,
    Subject      TEXT     NULL,
    CreatedAt    DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CreatedBy    TEXT     NOT NULL DEFAULT '',
    SignedInAt   DATETIME NULL,
    DisabledAt   DATETIME NULL,
    Failures     INTEGER  NOT NULL DEFAULT 0,
    LockedUntil  DATETIME NULL,
    Revision     INTEGER  NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX UX_BotUsers_Name ON BotUsers (NameKey);
CREATE UNIQUE INDEX UX_BotUsers_Subject ON BotUsers (Subject) WHERE Subject IS NOT NULL;

CREATE TABLE BotSessions (
    Id         INTEGER PRIMARY KEY AUTOINCREMENT,
    UserId     INTEGER  NOT NULL,
    Hash       TEXT     NOT NULL,
    CreatedAt  DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    SeenAt     DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    IdleUntil  DATETIME NOT NULL,
    ExpiresAt  DATETIME NOT NULL,
    Address    TEXT     NOT NULL DEFAULT '',
    UserAgent  TEXT     NOT NULL DEFAULT '',
    SignedInBy TEXT     NOT NULL DEFAULT '',
    CONSTRAINT FK_BotSessions_User FOREIGN KEY (UserId) REFERENCES BotUsers (Id)
);
CREATE UNIQUE INDEX UX_BotSessions_Hash ON BotSessions (Hash);
CREATE INDEX IX_BotSessions_User ON BotSessions (UserId);
CREATE INDEX IX_BotSessions_IdleUntil ON BotSessions (IdleUntil, Id);

CREATE TABLE BotSignInLinks (
    Id        INTEGER PRIMARY KEY AUTOINCREMENT,
    UserId    INTEGER  NOT NULL,
    Hash      TEXT     NOT NULL,
    CreatedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    ExpiresAt DATETIME NOT NULL,
    CONSTRAINT FK_BotSignInLinks_User FOREIGN KEY (UserId) REFERENCES BotUsers (Id)
);
CREATE UNIQUE INDEX UX_BotSignInLinks_Hash ON BotSignInLinks (Hash);
CREATE INDEX IX_BotSignInLinks_User ON BotSignInLinks (UserId);
CREATE INDEX IX_BotSignInLinks_ExpiresAt ON BotSignInLinks (ExpiresAt, Id);

CREATE TABLE BotApiAnswers (
    Id             INTEGER PRIMARY KEY AUTOINCREMENT,
    KeyHash        TEXT     NOT NULL,
    CallerName     TEXT     NOT NULL,
    IdempotencyKey TEXT     NOT NULL,
    RequestHash    TEXT     NOT NULL,
    Status         INTEGER  NOT NULL DEFAULT 0,
    Body           TEXT     NOT NULL DEFAULT '',
    At             DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
);
CREATE UNIQUE INDEX UX_BotApiAnswers_KeyHash ON BotApiAnswers (KeyHash);
CREATE INDEX IX_BotApiAnswers_At ON BotApiAnswers (At, Id);

-- +goose Down
DROP TABLE BotApiAnswers;
DROP TABLE BotSignInLinks;
DROP TABLE BotSessions;
DROP TABLE BotUsers;
DROP TABLE BotTokens;
