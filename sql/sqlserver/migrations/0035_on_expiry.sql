-- +goose Up

-- What becomes of an item that expires while it waits: archived, or removed with its attempts.
ALTER TABLE BotQueues ADD OnExpiry NVARCHAR(20) NOT NULL CONSTRAINT DF_BotQueues_OnExpiry DEFAULT N'archive';
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_OnExpiry CHECK (OnExpiry IN (N'archive', N'remove'));

-- +goose Down
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_OnExpiry;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_OnExpiry;
ALTER TABLE BotQueues DROP COLUMN OnExpiry;
