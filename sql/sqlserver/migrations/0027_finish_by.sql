-- +goose Up

-- The end of the time for an item, waiting and running: a run is ended then. DeadlineAt is at
-- most this time, so that the item is not started afterwards.
ALTER TABLE BotWorkQueueItems ADD FinishBy DATETIME2(3) NULL;

-- +goose Down
ALTER TABLE BotWorkQueueItems DROP COLUMN FinishBy;
