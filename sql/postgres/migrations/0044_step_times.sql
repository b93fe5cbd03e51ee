-- +goose Up

-- How long the current or latest run was in each of its steps: a JSON array such as [{"step": "load", "ms": 1200}],
-- in the order in which the steps ended. NULL: none has ended, or the pipeline has one step.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "StepTimes" TEXT NULL;
ALTER TABLE "BotWorkItemAttempts" ADD COLUMN "StepTimes" TEXT NULL;

-- +goose Down
ALTER TABLE "BotWorkItemAttempts" DROP COLUMN "StepTimes";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "StepTimes";
