-- +goose Up

-- How long the item is kept when it has succeeded; NULL: as its queue says.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "RetainMs" BIGINT NULL;
-- When a queue's time to live ends the item's waiting, as a deadline does.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "ExpiresAt" TIMESTAMPTZ(3) NULL;
-- How far the run has come, beside Progress; 0 to 100.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "ProgressPercent" INT NULL;
-- What a robot or a pipeline tells of the work, for statistics of its own; JSON.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "Analytics" TEXT NULL;
-- Payload, Output and Metadata are sealed; Fence and times are not.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "Encrypted" BOOLEAN NOT NULL DEFAULT FALSE;
-- Hashes of what must be unique: the natural key, as the queue says; queue, pipeline
-- and payload while the item is not finished; the same until TimedUntil.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "UniqueKey" VARCHAR(64) NULL;
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "ContentKey" VARCHAR(64) NULL;
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "TimedKey" VARCHAR(64) NULL;
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "TimedUntil" TIMESTAMPTZ(3) NULL;
-- What a queue's limits per key count by, such as a customer.
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "LimitKey" VARCHAR(200) NULL;
-- The robot that has checked the item out, and the secret under which it holds it (a hash).
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "Robot" VARCHAR(200) NULL;
ALTER TABLE "BotWorkQueueItems" ADD COLUMN "LockKey" VARCHAR(200) NULL;

-- One unfinished item for each content; at most one item for each other key.
CREATE UNIQUE INDEX "UX_BotWorkQueueItems_UniqueKey" ON "BotWorkQueueItems" ("UniqueKey") WHERE "UniqueKey" IS NOT NULL;
CREATE UNIQUE INDEX "UX_BotWorkQueueItems_ContentKey" ON "BotWorkQueueItems" ("ContentKey") WHERE "ContentKey" IS NOT NULL AND "State" IN (0, 1, 4, 5);
CREATE UNIQUE INDEX "UX_BotWorkQueueItems_TimedKey" ON "BotWorkQueueItems" ("TimedKey") WHERE "TimedKey" IS NOT NULL;

-- Search by key, what expires, and what housekeeping looks for.
CREATE INDEX "IX_BotWorkQueueItems_NaturalKey" ON "BotWorkQueueItems" ("NaturalKey") WHERE "NaturalKey" IS NOT NULL;
CREATE INDEX "IX_BotWorkQueueItems_Deadline" ON "BotWorkQueueItems" ("DeadlineAt") WHERE "State" IN (0, 4, 5) AND "DeadlineAt" IS NOT NULL;
CREATE INDEX "IX_BotWorkQueueItems_Expiry" ON "BotWorkQueueItems" ("ExpiresAt") WHERE "State" IN (0, 4, 5) AND "ExpiresAt" IS NOT NULL;
CREATE INDEX "IX_BotWorkQueueItems_Archived" ON "BotWorkQueueItems" ("QueueName", "FinishedAt" DESC NULLS LAST, "Id" DESC) WHERE "State" = 3 AND "DeletedAt" IS NULL;
CREATE INDEX "IX_BotWorkQueueItems_Retained" ON "BotWorkQueueItems" ("RetainUntil") WHERE "State" = 2 AND "RetainUntil" IS NOT NULL;
CREATE INDEX "IX_BotWorkQueueItems_Deleted" ON "BotWorkQueueItems" ("DeletedAt") WHERE "DeletedAt" IS NOT NULL;

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
    i."ProgressPercent", i."RetainUntil", i."ExpiresAt", i."LimitKey", i."Robot", i."Encrypted", i."Tags", i."Metadata", i."Analytics",
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
    i."TaskName", i."NaturalKey", i."RootId", i."ErrorKind", i."Error", i."Progress", i."Step", i."LogTail", i."FirstStartedAt",
    i."IntegrationConfig", i."Payload", i."Output", i."DeletedAt", i."DeletedReason"
FROM "BotWorkQueueItems" i LEFT JOIN "BotWorkers" w ON w."Id" = i."WorkerId";
-- +goose StatementEnd
DROP INDEX "IX_BotWorkQueueItems_Deleted";
DROP INDEX "IX_BotWorkQueueItems_Retained";
DROP INDEX "IX_BotWorkQueueItems_Archived";
DROP INDEX "IX_BotWorkQueueItems_Expiry";
DROP INDEX "IX_BotWorkQueueItems_Deadline";
DROP INDEX "IX_BotWorkQueueItems_NaturalKey";
DROP INDEX "UX_BotWorkQueueItems_TimedKey";
DROP INDEX "UX_BotWorkQueueItems_ContentKey";
DROP INDEX "UX_BotWorkQueueItems_UniqueKey";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "LockKey";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "Robot";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "LimitKey";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "TimedUntil";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "TimedKey";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "ContentKey";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "UniqueKey";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "Encrypted";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "Analytics";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "ProgressPercent";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "ExpiresAt";
ALTER TABLE "BotWorkQueueItems" DROP COLUMN "RetainMs";
