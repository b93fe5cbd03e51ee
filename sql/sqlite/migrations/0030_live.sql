-- +goose Up

-- What a person set for a worker while it runs, as JSON: it replaces what the process reports, also
-- after a restart. NULL: nothing is replaced.
ALTER TABLE BotWorkers ADD COLUMN Overrides TEXT NULL;

-- Since when a worker must not take items, also after a restart; NULL: it may.
ALTER TABLE BotWorkers ADD COLUMN DrainRequestedAt DATETIME NULL;

-- +goose Down
ALTER TABLE BotWorkers DROP COLUMN DrainRequestedAt;
ALTER TABLE BotWorkers DROP COLUMN Overrides;
