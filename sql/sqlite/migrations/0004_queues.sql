-- +goose Up

-- The policy of a queue. Every default keeps what a queue was before.

-- Who takes the items: workers, or robots that check them out over the API and
-- need no pipeline.
ALTER TABLE BotQueues ADD COLUMN Consumer TEXT NOT NULL DEFAULT 'workers'
    CONSTRAINT CK_BotQueues_Consumer CHECK (Consumer IN ('workers', 'robots'));

-- Added to the priority of each item that comes in.
ALTER TABLE BotQueues ADD COLUMN PriorityOffset INTEGER NOT NULL DEFAULT 0;

-- How long after its creation an item that does not run is cancelled as expired,
-- how long a completed one is kept (0: not at all; NULL: as CleanUp says), and what
-- is kept of the cancelled ones: up to an age and up to a number.
ALTER TABLE BotQueues ADD COLUMN TtlMs INTEGER NULL CONSTRAINT CK_BotQueues_TtlMs CHECK (TtlMs > 0);
ALTER TABLE BotQueues ADD COLUMN RetainMs INTEGER NULL CONSTRAINT CK_BotQueues_RetainMs CHECK (RetainMs >= 0);
ALTER TABLE BotQueues ADD COLUMN ArchiveAgeMs INTEGER NULL CONSTRAINT CK_BotQueues_ArchiveAgeMs CHECK (ArchiveAgeMs >= 0);
ALTER TABLE BotQueues ADD COLUMN ArchiveLimit INTEGER NULL CONSTRAINT CK_BotQueues_ArchiveLimit CHECK (ArchiveLimit >= 0);

-- A retry is the same item again, or a linked copy of it.
ALTER TABLE BotQueues ADD COLUMN RetryAs TEXT NOT NULL DEFAULT 'same' CONSTRAINT CK_BotQueues_RetryAs CHECK (RetryAs IN ('same', 'copy'));

-- Where a natural key is unique, and whether deleted items take part.
ALTER TABLE BotQueues ADD COLUMN KeyScope TEXT NOT NULL DEFAULT 'none'
    CONSTRAINT CK_BotQueues_KeyScope CHECK (KeyScope IN ('none', 'queue', 'global'));
ALTER TABLE BotQueues ADD COLUMN DeletedKeysCount INTEGER NOT NULL DEFAULT 0
    CONSTRAINT CK_BotQueues_DeletedKeysCount CHECK (DeletedKeysCount IN (0, 1));

-- JSON Schemas that the items' data must meet.
ALTER TABLE BotQueues ADD COLUMN PayloadSchema TEXT NULL;
ALTER TABLE BotQueues ADD COLUMN OutputSchema TEXT NULL;
ALTER TABLE BotQueues ADD COLUMN AnalyticsSchema TEXT NULL;

-- Whether new items are encrypted, who may use the queue, and what a deletion is.
ALTER TABLE BotQueues ADD COLUMN Encrypted INTEGER NOT NULL DEFAULT 0 CONSTRAINT CK_BotQueues_Encrypted CHECK (Encrypted IN (0, 1));
ALTER TABLE BotQueues ADD COLUMN PublicAccess INTEGER NOT NULL DEFAULT 1 CONSTRAINT CK_BotQueues_PublicAccess CHECK (PublicAccess IN (0, 1));
ALTER TABLE BotQueues ADD COLUMN RobotDeletesOnlyOwn INTEGER NOT NULL DEFAULT 0
    CONSTRAINT CK_BotQueues_RobotDeletesOnlyOwn CHECK (RobotDeletesOnlyOwn IN (0, 1));
ALTER TABLE BotQueues ADD COLUMN Deletion TEXT NOT NULL DEFAULT 'physical'
    CONSTRAINT CK_BotQueues_Deletion CHECK (Deletion IN ('physical', 'logical'));

-- The lease of a checkout; NULL is ten minutes.
ALTER TABLE BotQueues ADD COLUMN CheckoutMs INTEGER NULL CONSTRAINT CK_BotQueues_CheckoutMs CHECK (CheckoutMs > 0);

-- Over the whole cluster: how many run at once, and how many start in a period.
ALTER TABLE BotQueues ADD COLUMN ConcurrencyLimit INTEGER NULL CONSTRAINT CK_BotQueues_ConcurrencyLimit CHECK (ConcurrencyLimit > 0);
ALTER TABLE BotQueues ADD COLUMN KeyConcurrencyLimit INTEGER NULL CONSTRAINT CK_BotQueues_KeyConcurrencyLimit CHECK (KeyConcurrencyLimit > 0);
ALTER TABLE BotQueues ADD COLUMN RatePeriodMs INTEGER NULL CONSTRAINT CK_BotQueues_RatePeriodMs CHECK (RatePeriodMs > 0);
ALTER TABLE BotQueues ADD COLUMN RateLimit INTEGER NULL
    CONSTRAINT CK_BotQueues_RateLimit CHECK (RateLimit IS NULL AND RatePeriodMs IS NULL
        OR RateLimit IS NOT NULL AND RatePeriodMs IS NOT NULL AND RateLimit > 0);
ALTER TABLE BotQueues ADD COLUMN KeyRatePeriodMs INTEGER NULL CONSTRAINT CK_BotQueues_KeyRatePeriodMs CHECK (KeyRatePeriodMs > 0);
ALTER TABLE BotQueues ADD COLUMN KeyRateLimit INTEGER NULL
    CONSTRAINT CK_BotQueues_KeyRateLimit CHECK (KeyRateLimit IS NULL AND KeyRatePeriodMs IS NULL
        OR KeyRateLimit IS NOT NULL AND KeyRatePeriodMs IS NOT NULL AND KeyRateLimit > 0);

-- Raised by every change that the program makes; by whom and when it was defined.
ALTER TABLE BotQueues ADD COLUMN Revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE BotQueues ADD COLUMN DefinedBy TEXT NULL;
ALTER TABLE BotQueues ADD COLUMN UpdatedAt DATETIME NULL;

-- What a robot may do with a queue that is not public.
CREATE TABLE BotQueueRobots (
    Id        INTEGER PRIMARY KEY AUTOINCREMENT,
    QueueName TEXT    NOT NULL,
    Robot     TEXT    NOT NULL,
    CanRead   INTEGER NOT NULL DEFAULT 1,
    CanWrite  INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT UQ_BotQueueRobots_Robot UNIQUE (QueueName, Robot),
    CONSTRAINT FK_BotQueueRobots_Queue FOREIGN KEY (QueueName) REFERENCES BotQueues (Name) ON DELETE CASCADE,
    CONSTRAINT CK_BotQueueRobots_Rights CHECK (CanRead IN (0, 1) AND CanWrite IN (0, 1))
);

-- +goose Down
DROP TABLE BotQueueRobots;
ALTER TABLE BotQueues DROP COLUMN UpdatedAt;
ALTER TABLE BotQueues DROP COLUMN DefinedBy;
ALTER TABLE BotQueues DROP COLUMN Revision;
ALTER TABLE BotQueues DROP COLUMN KeyRateLimit;
ALTER TABLE BotQueues DROP COLUMN KeyRatePeriodMs;
ALTER TABLE BotQueues DROP COLUMN RateLimit;
ALTER TABLE BotQueues DROP COLUMN RatePeriodMs;
ALTER TABLE BotQueues DROP COLUMN KeyConcurrencyLimit;
ALTER TABLE BotQueues DROP COLUMN ConcurrencyLimit;
ALTER TABLE BotQueues DROP COLUMN CheckoutMs;
ALTER TABLE BotQueues DROP COLUMN Deletion;
ALTER TABLE BotQueues DROP COLUMN RobotDeletesOnlyOwn;
ALTER TABLE BotQueues DROP COLUMN PublicAccess;
ALTER TABLE BotQueues DROP COLUMN Encrypted;
ALTER TABLE BotQueues DROP COLUMN AnalyticsSchema;
ALTER TABLE BotQueues DROP COLUMN OutputSchema;
ALTER TABLE BotQueues DROP COLUMN PayloadSchema;
ALTER TABLE BotQueues DROP COLUMN DeletedKeysCount;
ALTER TABLE BotQueues DROP COLUMN KeyScope;
ALTER TABLE BotQueues DROP COLUMN RetryAs;
ALTER TABLE BotQueues DROP COLUMN ArchiveLimit;
ALTER TABLE BotQueues DROP COLUMN ArchiveAgeMs;
ALTER TABLE BotQueues DROP COLUMN RetainMs;
ALTER TABLE BotQueues DROP COLUMN TtlMs;
ALTER TABLE BotQueues DROP COLUMN PriorityOffset;
ALTER TABLE BotQueues DROP COLUMN Consumer;
