-- +goose Up

-- The policy of a queue. Every default keeps what a queue was before.

-- Who takes the items: workers, or robots that check them out over the API and
-- need no pipeline.
ALTER TABLE BotQueues ADD Consumer NVARCHAR(20) NOT NULL CONSTRAINT DF_BotQueues_Consumer DEFAULT N'workers';

-- Added to the priority of each item that comes in.
ALTER TABLE BotQueues ADD PriorityOffset INT NOT NULL CONSTRAINT DF_BotQueues_PriorityOffset DEFAULT 0;

-- How long after its creation an item that does not run is cancelled as expired,
-- how long a completed one is kept (0: not at all; NULL: as CleanUp says), and what
-- is kept of the cancelled ones: up to an age and up to a number.
ALTER TABLE BotQueues ADD TtlMs BIGINT NULL;
ALTER TABLE BotQueues ADD RetainMs BIGINT NULL;
ALTER TABLE BotQueues ADD ArchiveAgeMs BIGINT NULL;
ALTER TABLE BotQueues ADD ArchiveLimit INT NULL;

-- A retry is the same item again, or a linked copy of it.
ALTER TABLE BotQueues ADD RetryAs NVARCHAR(20) NOT NULL CONSTRAINT DF_BotQueues_RetryAs DEFAULT N'same';

-- Where a natural key is unique, and whether deleted items take part.
ALTER TABLE BotQueues ADD KeyScope NVARCHAR(20) NOT NULL CONSTRAINT DF_BotQueues_KeyScope DEFAULT N'none';
ALTER TABLE BotQueues ADD DeletedKeysCount BIT NOT NULL CONSTRAINT DF_BotQueues_DeletedKeysCount DEFAULT 0;

-- JSON Schemas that the items' data must meet.
ALTER TABLE BotQueues ADD PayloadSchema NVARCHAR(MAX) NULL;
ALTER TABLE BotQueues ADD OutputSchema NVARCHAR(MAX) NULL;
ALTER TABLE BotQueues ADD AnalyticsSchema NVARCHAR(MAX) NULL;

-- Whether new items are encrypted, who may use the queue, and what a deletion is.
ALTER TABLE BotQueues ADD Encrypted BIT NOT NULL CONSTRAINT DF_BotQueues_Encrypted DEFAULT 0;
ALTER TABLE BotQueues ADD PublicAccess BIT NOT NULL CONSTRAINT DF_BotQueues_PublicAccess DEFAULT 1;
ALTER TABLE BotQueues ADD RobotDeletesOnlyOwn BIT NOT NULL CONSTRAINT DF_BotQueues_RobotDeletesOnlyOwn DEFAULT 0;
ALTER TABLE BotQueues ADD Deletion NVARCHAR(20) NOT NULL CONSTRAINT DF_BotQueues_Deletion DEFAULT N'physical';

-- The lease of a checkout; NULL is ten minutes.
ALTER TABLE BotQueues ADD CheckoutMs BIGINT NULL;

-- Over the whole cluster: how many run at once, and how many start in a period.
ALTER TABLE BotQueues ADD ConcurrencyLimit INT NULL;
ALTER TABLE BotQueues ADD KeyConcurrencyLimit INT NULL;
ALTER TABLE BotQueues ADD RatePeriodMs BIGINT NULL;
ALTER TABLE BotQueues ADD RateLimit INT NULL;
ALTER TABLE BotQueues ADD KeyRatePeriodMs BIGINT NULL;
ALTER TABLE BotQueues ADD KeyRateLimit INT NULL;

-- Raised by every change that the program makes; by whom and when it was defined.
ALTER TABLE BotQueues ADD Revision BIGINT NOT NULL CONSTRAINT DF_BotQueues_Revision DEFAULT 1;
ALTER TABLE BotQueues ADD DefinedBy NVARCHAR(200) NULL;
ALTER TABLE BotQueues ADD UpdatedAt DATETIME2(3) NULL;

ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_Consumer CHECK (Consumer IN (N'workers', N'robots'));
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_TtlMs CHECK (TtlMs > 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_RetainMs CHECK (RetainMs >= 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_ArchiveAgeMs CHECK (ArchiveAgeMs >= 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_ArchiveLimit CHECK (ArchiveLimit >= 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_RetryAs CHECK (RetryAs IN (N'same', N'copy'));
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_KeyScope CHECK (KeyScope IN (N'none', N'queue', N'global'));
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_Deletion CHECK (Deletion IN (N'physical', N'logical'));
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_CheckoutMs CHECK (CheckoutMs > 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_ConcurrencyLimit CHECK (ConcurrencyLimit > 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_KeyConcurrencyLimit CHECK (KeyConcurrencyLimit > 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_RatePeriodMs CHECK (RatePeriodMs > 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_RateLimit
    CHECK (RateLimit IS NULL AND RatePeriodMs IS NULL
        OR RateLimit IS NOT NULL AND RatePeriodMs IS NOT NULL AND RateLimit > 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_KeyRatePeriodMs CHECK (KeyRatePeriodMs > 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_KeyRateLimit
    CHECK (KeyRateLimit IS NULL AND KeyRatePeriodMs IS NULL
        OR KeyRateLimit IS NOT NULL AND KeyRatePeriodMs IS NOT NULL AND KeyRateLimit > 0);

-- What a robot may do with a queue that is not public.
CREATE TABLE BotQueueRobots (
    Id        BIGINT IDENTITY(1,1) NOT NULL,
    QueueName NVARCHAR(200) NOT NULL,
    Robot     NVARCHAR(200) NOT NULL,
    CanRead   BIT           NOT NULL CONSTRAINT DF_BotQueueRobots_CanRead DEFAULT 1,
    CanWrite  BIT           NOT NULL CONSTRAINT DF_BotQueueRobots_CanWrite DEFAULT 0,
    CONSTRAINT PK_BotQueueRobots PRIMARY KEY (Id),
    CONSTRAINT UQ_BotQueueRobots_Robot UNIQUE (QueueName, Robot),
    CONSTRAINT FK_BotQueueRobots_Queue FOREIGN KEY (QueueName) REFERENCES BotQueues (Name) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE BotQueueRobots;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_KeyRateLimit;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_KeyRatePeriodMs;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_RateLimit;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_RatePeriodMs;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_KeyConcurrencyLimit;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_ConcurrencyLimit;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_CheckoutMs;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_Deletion;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_KeyScope;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_RetryAs;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_ArchiveLimit;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_ArchiveAgeMs;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_RetainMs;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_TtlMs;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_Consumer;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_Revision;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_Deletion;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_RobotDeletesOnlyOwn;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_PublicAccess;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_Encrypted;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_DeletedKeysCount;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_KeyScope;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_RetryAs;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_PriorityOffset;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_Consumer;
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
