-- +goose Up

-- Whether viewers and operators see the payloads of the items.
ALTER TABLE "BotQueues" ADD COLUMN "Payloads" VARCHAR(20) NOT NULL DEFAULT 'visible'
    CONSTRAINT "CK_BotQueues_Payloads" CHECK ("Payloads" IN ('visible', 'hidden'));

-- +goose Down
ALTER TABLE "BotQueues" DROP COLUMN "Payloads";
