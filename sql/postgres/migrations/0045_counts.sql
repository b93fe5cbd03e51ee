-- +goose Up

-- The counts of waiting items by queue read only these indexes: after the key, an entry has what they need of the row.
DROP INDEX "IX_BotWorkQueueItems_Checkout";
DROP INDEX "IX_BotWorkQueueItems_CheckoutDeadline";
CREATE INDEX "IX_BotWorkQueueItems_Checkout" ON "BotWorkQueueItems" ("QueueName", "Priority" DESC, "Id") INCLUDE ("AvailableAt", "RetryCount", "State", "DeletedAt")
    WHERE "State" IN (0, 4) AND "DeadlineAt" IS NULL AND "Fence" >= 0;
CREATE INDEX "IX_BotWorkQueueItems_CheckoutDeadline" ON "BotWorkQueueItems" ("QueueName", "Priority" DESC, "DeadlineAt", "Id") INCLUDE ("AvailableAt", "RetryCount", "State", "DeletedAt")
    WHERE "State" IN (0, 4) AND "DeadlineAt" IS NOT NULL AND "Fence" >= 0;

-- +goose Down
DROP INDEX "IX_BotWorkQueueItems_CheckoutDeadline";
DROP INDEX "IX_BotWorkQueueItems_Checkout";
CREATE INDEX "IX_BotWorkQueueItems_Checkout" ON "BotWorkQueueItems" ("QueueName", "Priority" DESC, "Id")
    WHERE "State" IN (0, 4) AND "DeadlineAt" IS NULL AND "Fence" >= 0;
CREATE INDEX "IX_BotWorkQueueItems_CheckoutDeadline" ON "BotWorkQueueItems" ("QueueName", "Priority" DESC, "DeadlineAt", "Id")
    WHERE "State" IN (0, 4) AND "DeadlineAt" IS NOT NULL AND "Fence" >= 0;
