-- +goose Up

-- What housekeeping looks for. Deleted items are left to the index of deleted ones.
DROP INDEX "IX_BotWorkQueueItems_Retained";
CREATE INDEX "IX_BotWorkQueueItems_Retained" ON "BotWorkQueueItems" ("RetainUntil", "Id") WHERE "State" = 2 AND "RetainUntil" IS NOT NULL AND "DeletedAt" IS NULL;
CREATE INDEX "IX_BotWorkQueueItems_Completed" ON "BotWorkQueueItems" ("QueueName", "FinishedAt", "Id") WHERE "State" = 2 AND "RetainUntil" IS NULL AND "DeletedAt" IS NULL;
CREATE INDEX "IX_BotWorkQueueItems_TimedUntil" ON "BotWorkQueueItems" ("TimedUntil", "Id") WHERE "State" IN (2, 3) AND "TimedKey" IS NOT NULL;

-- The oldest records and runs, and the latest one of each schedule and worker,
-- which the scheduler asks for as well.
CREATE INDEX "IX_BotScheduleFirings_Planned" ON "BotScheduleFirings" ("PlannedAt", "Id");
CREATE INDEX "IX_BotScheduleFirings_Latest" ON "BotScheduleFirings" ("Schedule", "WorkerName", "PlannedAt");
CREATE INDEX "IX_BotPipelineRuns_Started" ON "BotPipelineRuns" ("StartedAt", "Id");
CREATE INDEX "IX_BotPipelineRuns_Latest" ON "BotPipelineRuns" ("Pipeline", "WorkerId", "PlannedAt");

-- +goose Down
DROP INDEX "IX_BotPipelineRuns_Latest";
DROP INDEX "IX_BotPipelineRuns_Started";
DROP INDEX "IX_BotScheduleFirings_Latest";
DROP INDEX "IX_BotScheduleFirings_Planned";
DROP INDEX "IX_BotWorkQueueItems_TimedUntil";
DROP INDEX "IX_BotWorkQueueItems_Completed";
DROP INDEX "IX_BotWorkQueueItems_Retained";
CREATE INDEX "IX_BotWorkQueueItems_Retained" ON "BotWorkQueueItems" ("RetainUntil") WHERE "State" = 2 AND "RetainUntil" IS NOT NULL;
