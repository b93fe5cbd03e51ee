-- +goose Up

-- Queues that a command deleted although settings define them: a worker that starts does not create
-- them again, until they are defined or created by a command.
CREATE TABLE BotDeletedQueues (
    Name      NVARCHAR(200) NOT NULL,
    DeletedBy NVARCHAR(200) NOT NULL,
    DeletedAt DATETIME2(3)  NOT NULL CONSTRAINT DF_BotDeletedQueues_DeletedAt DEFAULT SYSUTCDATETIME(),
    CONSTRAINT PK_BotDeletedQueues PRIMARY KEY (Name)
);

-- +goose Down
DROP TABLE BotDeletedQueues;
