-- +goose Up

-- Queues that a command deleted although settings define them: a worker that starts does not create
-- them again, until they are defined or created by a command.
CREATE TABLE BotDeletedQueues (
    Name      TEXT     NOT NULL,
    DeletedBy TEXT     NOT NULL,
    DeletedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT PK_BotDeletedQueues PRIMARY KEY (Name)
);

-- +goose Down
DROP TABLE BotDeletedQueues;
