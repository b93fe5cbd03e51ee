-- +goose Up

-- What waits in a queue, in the order in which robots take it: without a deadline,
-- and with one. No fence is below 0: a statement that says so asks for these indexes,
-- and no other is led astray by them.
CREATE INDEX IX_BotWorkQueueItems_Checkout ON BotWorkQueueItems (QueueName, Priority DESC, Id)
    WHERE State IN (0, 4) AND DeadlineAt IS NULL AND Fence >= 0;
CREATE INDEX IX_BotWorkQueueItems_CheckoutDeadline ON BotWorkQueueItems (QueueName, Priority DESC, DeadlineAt, Id)
    WHERE State IN (0, 4) AND DeadlineAt IS NOT NULL AND Fence >= 0;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_CheckoutDeadline;
DROP INDEX IX_BotWorkQueueItems_Checkout;
