-- +goose Up

-- The latest failures, for reports: see the statement failed_attempts.
CREATE INDEX "IX_BotWorkItemAttempts_Failed" ON "BotWorkItemAttempts" ("FinishedAt", "Id") WHERE "Outcome" IN ('failed', 'timeout', 'rescued');

-- +goose Down
DROP INDEX "IX_BotWorkItemAttempts_Failed";
