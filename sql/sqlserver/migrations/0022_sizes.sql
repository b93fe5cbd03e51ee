-- +goose Up

-- The most bytes, in UTF-8, that a payload and an output of the queue's items may have;
-- NULL: 1048576.
ALTER TABLE BotQueues ADD MaxPayload BIGINT NULL;
ALTER TABLE BotQueues ADD MaxOutput BIGINT NULL;
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_MaxPayload CHECK (MaxPayload > 0);
ALTER TABLE BotQueues ADD CONSTRAINT CK_BotQueues_MaxOutput CHECK (MaxOutput > 0);

-- +goose Down
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_MaxOutput;
ALTER TABLE BotQueues DROP CONSTRAINT CK_BotQueues_MaxPayload;
ALTER TABLE BotQueues DROP COLUMN MaxOutput;
ALTER TABLE BotQueues DROP COLUMN MaxPayload;
