-- +goose Up

-- What a person set for a worker while it runs, as JSON: it replaces what the process reports, also
-- after a restart. NULL: nothing is replaced.
ALTER TABLE "BotWorkers" ADD COLUMN "Overrides" TEXT NULL;

-- Since when a worker must not take items, also after a restart; NULL: it may.
ALTER TABLE "BotWorkers" ADD COLUMN "DrainRequestedAt" TIMESTAMPTZ(3) NULL;

-- Who changed a queue by a command, and when: its definition in the settings is not in force until
-- it is defined again. Defined is that definition, as JSON; NULL if there is none.
ALTER TABLE "BotQueues" ADD COLUMN "OverriddenBy" VARCHAR(200) NULL;
ALTER TABLE "BotQueues" ADD COLUMN "OverriddenAt" TIMESTAMPTZ(3) NULL;
ALTER TABLE "BotQueues" ADD COLUMN "Defined" TEXT NULL;

-- +goose Down
ALTER TABLE "BotQueues" DROP COLUMN "Defined";
ALTER TABLE "BotQueues" DROP COLUMN "OverriddenAt";
ALTER TABLE "BotQueues" DROP COLUMN "OverriddenBy";
ALTER TABLE "BotWorkers" DROP COLUMN "DrainRequestedAt";
ALTER TABLE "BotWorkers" DROP COLUMN "Overrides";
