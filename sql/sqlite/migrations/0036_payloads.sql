-- +goose Up

-- Whether viewers and operators see the payloads of the items.
ALTER TABLE BotQueues ADD COLUMN Payloads TEXT NOT NULL DEFAULT 'visible' CONSTRAINT CK_BotQueues_Payloads CHECK (Payloads IN ('visible', 'hidden'));

-- +goose Down
ALTER TABLE BotQueues DROP COLUMN Payloads;
