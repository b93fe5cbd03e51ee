-- +goose Up

-- What a run has come to while it goes on, so that a rescue can tell it: the step
-- that it was at and its last log lines (beside Progress).
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "Step" VARCHAR(200) NULL;
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "LogTail" TEXT NULL;

-- When the first attempt began: the policy's "within" counts from here.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "FirstStartedAt" TIMESTAMPTZ(3) NULL;

-- Which machine ran the attempt, and how far it came.
ALTER TABLE "BotWorkItemAttempts" ADD COLUMN "Host" VARCHAR(200) NULL;
ALTER TABLE "BotWorkItemAttempts" ADD COLUMN "Progress" VARCHAR(1000) NULL;
ALTER TABLE "BotWorkItemAttempts" ADD COLUMN "LogTail" TEXT NULL;

-- Slots whose handler was cancelled and does not stop.
ALTER TABLE "BotWorkers" ADD COLUMN "StuckSlots" INT NOT NULL DEFAULT 0;

DROP VIEW "BotWorkQueueItemsView";
-- +goose StatementBegin
CREATE VIEW "BotWorkQueueItemsView" AS
SELECT i."Id", i."QueueName", i."State",
    CASE i."State" WHEN 0 THEN 'Ready' WHEN 1 THEN 'Blocked' WHEN 2 THEN 'Processed'
                 WHEN 3 THEN 'Cancelled' WHEN 4 THEN 'Pending' WHEN 5 THEN 'Assigned' END AS "StateName",
    CASE WHEN i."DeletedAt" IS NOT NULL THEN 'deleted'
         WHEN i."State" = 1 THEN 'active' WHEN i."State" = 2 THEN 'completed'
         WHEN i."State" = 3 THEN 'archived' WHEN i."State" = 5 THEN 'assigned'
         WHEN i."AvailableAt" <= statement_timestamp() THEN 'pending'
         WHEN i."RetryCount" > 0 THEN 'retry' ELSE 'scheduled' END AS "Lifecycle",
    i."Priority",
    CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band",
    CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '(inline)' END AS "Pipeline",
    i."WorkerId", w."Name" AS "WorkerName", w."Host" AS "WorkerHost",
    i."RetryCount", i."ReleaseCount", i."EstimatedDurationMs", i."Fence",
    i."AvailableAt", i."DeadlineAt", i."CreatedAt", i."CreatedBy", i."AssignedAt", i."StartedAt", i."FinishedAt", i."LeaseExpiresAt",
    i."TaskName", i."NaturalKey", i."RootId", i."ErrorKind", i."Error", i."Progress", i."Step", i."LogTail", i."FirstStartedAt",
    i."IntegrationConfig", i."Payload", i."Output", i."DeletedAt", i."DeletedReason"
FROM "BotWorkQueueItems" i LEFT JOIN "BotWorkers" w ON w."Id" = i."WorkerId";
-- +goose StatementEnd

-- +goose Down
DROP VIEW "BotWorkQueueItemsView";
-- +goose StatementBegin
CREATE VIEW "BotWorkQueueItemsView" AS
SELECT i."Id", i."QueueName", i."State",
    CASE i."State" WHEN 0 THEN 'Ready' WHEN 1 THEN 'Blocked' WHEN 2 THEN 'Processed'
                 WHEN 3 THEN 'Cancelled' WHEN 4 THEN 'Pending' WHEN 5 THEN 'Assigned' END AS "StateName",
    CASE WHEN i."DeletedAt" IS NOT NULL THEN 'deleted'
         WHEN i."State" = 1 THEN 'active' WHEN i."State" = 2 THEN 'completed'
         WHEN i."State" = 3 THEN 'archived' WHEN i."State" = 5 THEN 'assigned'
         WHEN i."AvailableAt" <= statement_timestamp() THEN 'pending'
         WHEN i."RetryCount" > 0 THEN 'retry' ELSE 'scheduled' END AS "Lifecycle",
    i."Priority",
    CASE WHEN i."Priority" > 1000 THEN 'high' WHEN i."Priority" >= 500 THEN 'medium' ELSE 'low' END AS "Band",
    CASE WHEN length(i."IntegrationConfig") <= 200 THEN i."IntegrationConfig" ELSE '(inline)' END AS "Pipeline",
    i."WorkerId", w."Name" AS "WorkerName", w."Host" AS "WorkerHost",
    i."RetryCount", i."ReleaseCount", i."EstimatedDurationMs", i."Fence",
    i."AvailableAt", i."DeadlineAt", i."CreatedAt", i."CreatedBy", i."AssignedAt", i."StartedAt", i."FinishedAt", i."LeaseExpiresAt",
    i."TaskName", i."NaturalKey", i."RootId", i."ErrorKind", i."Error", i."Progress",
    i."IntegrationConfig", i."Payload", i."Output", i."DeletedAt", i."DeletedReason"
FROM "BotWorkQueueItems" i LEFT JOIN "BotWorkers" w ON w."Id" = i."WorkerId";
-- +goose StatementEnd
ALTER TABLE "BotWorkers" DROP COLUMN "StuckSlots";
ALTER TABLE "BotWorkItemAttempts" DROP COLUMN "LogTail";
ALTER TABLE "BotWorkItemAttempts" DROP COLUMN "Progress";
ALTER TABLE "BotWorkItemAttempts" DROP COLUMN "Host";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "FirstStartedAt";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "LogTail";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "Step";
