-- +goose Up

-- What is kept of how many items have ended, and how long they took. Each
-- transaction adds rows of its own, so that workers never wait for one another
-- here; rows of the past are summed up (see CompactStatistics): Tier 0 holds
-- moments, 1 ten seconds, 2 minutes, 3 quarters of an hour, 4 all that is older.
-- Events counts what happened (runs that ended well, failed attempts, items that
-- were archived or deleted), Level how many items more or fewer are there since.
-- Bucket is the class of the duration; DurationMs sums them.
CREATE TABLE BotQueueStats (
    Id         BIGINT IDENTITY(1,1) NOT NULL,
    QueueName  NVARCHAR(200) NOT NULL,
    Kind       NVARCHAR(20)  NOT NULL,
    Tier       INT           NOT NULL CONSTRAINT DF_BotQueueStats_Tier DEFAULT 0,
    StartsAt   DATETIME2(3)  NOT NULL CONSTRAINT DF_BotQueueStats_StartsAt DEFAULT SYSUTCDATETIME(),
    Bucket     INT           NOT NULL CONSTRAINT DF_BotQueueStats_Bucket DEFAULT 0,
    Events     BIGINT        NOT NULL CONSTRAINT DF_BotQueueStats_Events DEFAULT 0,
    Level      BIGINT        NOT NULL CONSTRAINT DF_BotQueueStats_Level DEFAULT 0,
    DurationMs BIGINT        NOT NULL CONSTRAINT DF_BotQueueStats_DurationMs DEFAULT 0,
    CONSTRAINT PK_BotQueueStats PRIMARY KEY (Id),
    CONSTRAINT CK_BotQueueStats_Kind CHECK (Kind IN (N'completed', N'archived', N'deleted', N'failed', N'recount')),
    CONSTRAINT CK_BotQueueStats_Tier CHECK (Tier IN (0, 1, 2, 3, 4))
);
CREATE INDEX IX_BotQueueStats_Tier ON BotQueueStats (Tier, StartsAt, Id);
CREATE INDEX IX_BotQueueStats_Queue ON BotQueueStats (QueueName, StartsAt);

-- What has ended before. How long it took is not looked up: all that is older
-- than a day counts alike.
INSERT INTO BotQueueStats (QueueName, Kind, Tier, StartsAt, Level)
SELECT s.QueueName, s.Kind, 4, '2000-01-01T00:00:00.000', COUNT_BIG(*)
FROM (
    SELECT i.QueueName, CASE WHEN i.DeletedAt IS NOT NULL THEN N'deleted' WHEN i.State = 2 THEN N'completed' ELSE N'archived' END AS Kind
    FROM BotWorkQueueItems i
    WHERE i.State IN (2, 3) OR i.DeletedAt IS NOT NULL
) s
GROUP BY s.QueueName, s.Kind;

-- +goose Down
DROP TABLE BotQueueStats;
