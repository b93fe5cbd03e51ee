-- +goose Up

-- The most bytes, in UTF-8, that a payload and an output of the queue's items may have;
-- NULL: 1048576.
ALTER TABLE "BotQueues" ADD COLUMN "MaxPayload" BIGINT NULL CONSTRAINT "CK_BotQueues_MaxPayload" CHECK ("MaxPayload" > 0);
ALTER TABLE "BotQueues" ADD COLUMN "MaxOutput" BIGINT NULL CONSTRAINT "CK_BotQueues_MaxOutput" CHECK ("MaxOutput" > 0);

-- +goose Down
ALTER TABLE "BotQueues" DROP COLUMN "MaxOutput";
ALTER TABLE "BotQueues" DROP COLUMN "MaxPayload";
