-- +goose Up

-- The starts of items of queues that limit how many start in a period: one row for
-- each item that is given out. StartedAt is NULL until it is known to have started;
-- Fence is the item's before that. Rows are short-lived: assignment passes remove
-- what is older than the queue's periods.
CREATE TABLE BotQueueStarts (
    Id        BIGINT IDENTITY(1,1) NOT NULL,
    QueueName NVARCHAR(200) NOT NULL,
    LimitKey  NVARCHAR(200) NULL,
    ItemId    BIGINT NOT NULL,
    Fence     BIGINT NOT NULL,
    StartedAt DATETIME2(3) NULL,
    CONSTRAINT PK_BotQueueStarts PRIMARY KEY (Id),
    CONSTRAINT FK_BotQueueStarts_Queue FOREIGN KEY (QueueName) REFERENCES BotQueues (Name) ON DELETE CASCADE
);
CREATE INDEX IX_BotQueueStarts_Started ON BotQueueStarts (QueueName, StartedAt, LimitKey);
CREATE INDEX IX_BotQueueStarts_Open ON BotQueueStarts (ItemId, Fence) WHERE StartedAt IS NULL;

-- +goose Down
DROP TABLE BotQueueStarts;
