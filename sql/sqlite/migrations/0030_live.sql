-- +goose Up

-- What a person set for a worker while it runs, as JSON: it replaces what the process reports, also
-- after a restart. NULL: nothing is replaced.
ALTER TABLE BotWorkers ADD COLUMN Overrides TEXT NULL;

-- Since when a worker must not take items, also after a restart; NULL: it may.
ALTER TABLE BotWorkers ADD COLUMN DrainRequestedAt DATETIME NULL;

-- Who changed a queue by a command, and when: its definition in the settings is not in force until
-- it is defined again. Defined is that definition, as JSON; NULL if there is none.
ALTER TABLE BotQueues ADD COLUMN OverriddenBy TEXT NULL;
ALTER TABLE BotQueues ADD COLUMN OverriddenAt DATETIME NULL;
ALTER TABLE BotQueues ADD COLUMN Defined TEXT NULL;

-- Whether the policies of its queue were applied to an item: the program does that when it enqueues
-- an item, and the next assignment pass for rows that were inserted by hand. Rows that exist already
-- count as applied.
ALTER TABLE BotWorkQueueItems ADD COLUMN PoliciesApplied INTEGER NOT NULL DEFAULT 0;
UPDATE BotWorkQueueItems SET PoliciesApplied = 1 WHERE Fence = 0 OR State NOT BETWEEN 2 AND 3;
CREATE INDEX IX_BotWorkQueueItems_ByHand ON BotWorkQueueItems (Id) WHERE State IN (0, 4) AND PoliciesApplied = 0 AND Fence = 0;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_ByHand;
ALTER TABLE BotWorkQueueItems DROP COLUMN PoliciesApplied;
ALTER TABLE BotQueues DROP COLUMN Defined;
ALTER TABLE BotQueues DROP COLUMN OverriddenAt;
ALTER TABLE BotQueues DROP COLUMN OverriddenBy;
ALTER TABLE BotWorkers DROP COLUMN DrainRequestedAt;
ALTER TABLE BotWorkers DROP COLUMN Overrides;
