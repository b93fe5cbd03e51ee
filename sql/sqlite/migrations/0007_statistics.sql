-- +goose Up

-- What is kept of how many items have ended, and how long they took. Each
-- transaction adds rows of its own, so that workers never wait for one another
-- here; rows of the past are summed up (see CompactStatistics): Tier 0 holds
-- moments, 1 ten seconds, 2 minutes, 3 quarters of an hour, 4 all that is older.
-- Events counts what happened (runs that ended well, failed attempts, items that
-- were archived or deleted), Level how many items more or fewer are there since.
-- Bucket is the class of the duration; DurationMs sums them.
CREATE TABLE BotQueueStats (
    Id         INTEGER PRIMARY KEY AUTOINCREMENT,
    QueueName  TEXT     NOT NULL,
    Kind       TEXT     NOT NULL,
    Tier       INTEGER  NOT NULL DEFAULT 0,
    StartsAt   DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    Bucket     INTEGER  NOT NULL DEFAULT 0,
    Events     INTEGER  NOT NULL DEFAULT 0,
    Level      INTEGER  NOT NULL DEFAULT 0,
    DurationMs INTEGER  NOT NULL DEFAULT 0,
    CONSTRAINT CK_BotQueueStats_Kind CHECK (Kind IN ('completed', 'archived', 'deleted', 'failed', 'recount')),
    CONSTRAINT CK_BotQueueStats_Tier CHECK (Tier IN (0, 1, 2, 3, 4))
);
CREATE INDEX IX_BotQueueStats_Tier ON BotQueueStats (Tier, StartsAt, Id);
CREATE INDEX IX_BotQueueStats_Queue ON BotQueueStats (QueueName, StartsAt);

-- What has ended before. How long it took is not looked up: all that is older
-- than a day counts alike.
INSERT INTO BotQueueStats (QueueName, Kind, Tier, StartsAt, Level)
SELECT i.QueueName, CASE WHEN i.DeletedAt IS NOT NULL THEN 'deleted' WHEN i.State = 2 THEN 'completed' ELSE 'archived' END, 4, '2000-01-01 00:00:00.000', COUNT(*)
FROM BotWorkQueueItems i
WHERE i.State IN (2, 3) OR i.DeletedAt IS NOT NULL
GROUP BY i.QueueName, CASE WHEN i.DeletedAt IS NOT NULL THEN 'deleted' WHEN i.State = 2 THEN 'completed' ELSE 'archived' END;

-- +goose Down
DROP TABLE BotQueueStats;
