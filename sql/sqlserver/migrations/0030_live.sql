-- +goose Up

-- What a person set for a worker while it runs, as JSON: it replaces what the process reports, also
-- after a restart. NULL: nothing is replaced.
ALTER TABLE BotWorkers ADD Overrides NVARCHAR(MAX) NULL;

-- Since when a worker must not take items, also after a restart; NULL: it may.
ALTER TABLE BotWorkers ADD DrainRequestedAt DATETIME2(3) NULL;

-- Who changed a queue by a command, and when: its definition in the settings is not in force until
-- it is defined again. Defined is that definition, as JSON; NULL if there is none.
ALTER TABLE BotQueues ADD OverriddenBy NVARCHAR(200) NULL;
ALTER TABLE BotQueues ADD OverriddenAt DATETIME2(3) NULL;
ALTER TABLE BotQueues ADD Defined NVARCHAR(MAX) NULL;

-- Whether the policies of its queue were applied to an item: the program does that when it enqueues
-- an item, and the next assignment pass for rows that were inserted by hand. Rows that exist already
-- count as applied.
ALTER TABLE BotWorkQueueItems ADD PoliciesApplied BIT NOT NULL CONSTRAINT DF_BotWorkQueueItems_PoliciesApplied DEFAULT 1;
ALTER TABLE BotWorkQueueItems DROP CONSTRAINT DF_BotWorkQueueItems_PoliciesApplied;
ALTER TABLE BotWorkQueueItems ADD CONSTRAINT DF_BotWorkQueueItems_PoliciesApplied DEFAULT 0 FOR PoliciesApplied;
CREATE INDEX IX_BotWorkQueueItems_ByHand ON BotWorkQueueItems (Id) WHERE State IN (0, 4) AND PoliciesApplied = 0 AND Fence = 0;

-- +goose Down
DROP INDEX IX_BotWorkQueueItems_ByHand ON BotWorkQueueItems;
ALTER TABLE BotWorkQueueItems DROP CONSTRAINT DF_BotWorkQueueItems_PoliciesApplied;
ALTER TABLE BotWorkQueueItems DROP COLUMN PoliciesApplied;
ALTER TABLE BotQueues DROP COLUMN Defined;
ALTER TABLE BotQueues DROP COLUMN OverriddenAt;
ALTER TABLE BotQueues DROP COLUMN OverriddenBy;
ALTER TABLE BotWorkers DROP COLUMN DrainRequestedAt;
ALTER TABLE BotWorkers DROP COLUMN Overrides;
