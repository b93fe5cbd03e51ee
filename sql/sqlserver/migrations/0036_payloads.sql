-- +goose Up

-- Whether viewers and operators see the payloads of the items.
ALTER TABLE BotQueues ADD Payloads NVARCHAR(20) NOT NULL CONSTRAINT DF_BotQueues_Payloads DEFAULT N'visible';
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_Payloads CHECK (Payloads IN (N'visible', N'hidden'));

-- +goose Down
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_Payloads;
ALTER TABLE BotQueues DROP CONSTRAINT DF_BotQueues_Payloads;
ALTER TABLE BotQueues DROP COLUMN Payloads;
