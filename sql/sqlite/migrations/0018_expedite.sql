-- +goose Up

-- A worker claims expedited items before all others that are assigned to it, whatever their
-- priorities: they are found without reading over the others.
CREATE INDEX IX_BotWorkQueueItems_AssignedExpedite ON BotWorkQueueItems (WorkerId, Priority DESC, RunOrder, Id) WHERE State = 5 AND Expedite = 1;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_AssignedExpedite;
