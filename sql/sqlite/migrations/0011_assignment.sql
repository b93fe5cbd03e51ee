-- +goose Up

-- What a worker takes, as JSON: what an item of each channel costs it and how many of
-- them it runs at a time, {channel: {cost, max}}, and the queues that it serves; NULL: all.
ALTER TABLE BotWorkers ADD COLUMN Channels TEXT NULL;
ALTER TABLE BotWorkers ADD COLUMN Queues TEXT NULL;
-- Slots that are kept for high items.
ALTER TABLE BotWorkers ADD COLUMN ReservedSlots INTEGER NOT NULL DEFAULT 0;
-- Since when it has been free to take more: when an item of it ended last, or it was
-- given one; NULL: since it started.
ALTER TABLE BotWorkers ADD COLUMN AvailableSince DATETIME NULL;

-- What the pass that assigned the item decided: its place among those of the same
-- priority at its worker, the least first, how long it was expected to take, and the
-- channel of its pipeline.
ALTER TABLE BotWorkQueueItems ADD COLUMN RunOrder INTEGER NOT NULL DEFAULT 0;
ALTER TABLE BotWorkQueueItems ADD COLUMN AssignedEstimateMs INTEGER NULL;
ALTER TABLE BotWorkQueueItems ADD COLUMN Channel TEXT NULL;
-- The item goes before others of its priority while a selector says so.
ALTER TABLE BotWorkQueueItems ADD COLUMN Expedite BOOLEAN NOT NULL DEFAULT 0;

DROP INDEX IX_BotWorkQueueItems_Assigned;
CREATE INDEX IX_BotWorkQueueItems_Assigned ON BotWorkQueueItems (WorkerId, Priority DESC, RunOrder, Id) WHERE State = 5;
CREATE INDEX IX_BotWorkQueueItems_WaitingExpedite ON BotWorkQueueItems (Priority DESC, Id) WHERE State IN (0, 4) AND Expedite = 1;

-- How the items of the queue are given to workers, as JSON; NULL: as the pass says.
ALTER TABLE BotQueues ADD COLUMN Distribution TEXT NULL;

-- What assignment passes remember from one to the next: how often assignments were
-- written, which worker the last item went to in turn.
CREATE TABLE BotAssignmentMarks (
    Name  TEXT NOT NULL COLLATE BINARY,
    Value INTEGER NOT NULL,
    CONSTRAINT PK_BotAssignmentMarks PRIMARY KEY (Name)
);
INSERT INTO BotAssignmentMarks (Name, Value) VALUES ('passes', 0);

-- +goose Down
DROP TABLE BotAssignmentMarks;
ALTER TABLE BotQueues DROP COLUMN Distribution;
DROP INDEX IX_BotWorkQueueItems_WaitingExpedite;
DROP INDEX IX_BotWorkQueueItems_Assigned;
CREATE INDEX IX_BotWorkQueueItems_Assigned ON BotWorkQueueItems (WorkerId, Priority DESC, Id) WHERE State = 5;
ALTER TABLE BotWorkQueueItems DROP COLUMN Expedite;
ALTER TABLE BotWorkQueueItems DROP COLUMN Channel;
ALTER TABLE BotWorkQueueItems DROP COLUMN AssignedEstimateMs;
ALTER TABLE BotWorkQueueItems DROP COLUMN RunOrder;
ALTER TABLE BotWorkers DROP COLUMN AvailableSince;
ALTER TABLE BotWorkers DROP COLUMN ReservedSlots;
ALTER TABLE BotWorkers DROP COLUMN Queues;
ALTER TABLE BotWorkers DROP COLUMN Channels;
