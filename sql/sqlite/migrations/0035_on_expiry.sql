-- +goose Up

-- What becomes of an item that expires while it waits: archived, or removed with its attempts.
ALTER TABLE BotQueues ADD COLUMN OnExpiry TEXT NOT NULL DEFAULT 'archive' CONSTRAINT CK_BotQueues_OnExpiry CHECK (OnExpiry IN ('archive', 'remove'));

-- +goose Down
ALTER TABLE BotQueues DROP COLUMN OnExpiry;
