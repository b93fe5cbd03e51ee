-- +goose Up

-- Queues that a command deleted although settings define them: a worker that starts does not create
-- them again, until they are defined or created by a command.
CREATE TABLE "BotDeletedQueues" (
    "Name"      VARCHAR(200)   NOT NULL,
    "DeletedBy" VARCHAR(200)   NOT NULL,
    "DeletedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT "PK_BotDeletedQueues" PRIMARY KEY ("Name")
);

-- +goose Down
DROP TABLE "BotDeletedQueues";
