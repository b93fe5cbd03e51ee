-- +goose Up

-- Why a worker takes no new items now: its machine is short of a resource, such as "cpu 97% over 90%".
-- The worker writes it with its heartbeats. NULL: it takes items.
ALTER TABLE BotWorkers ADD Gate NVARCHAR(400) NULL;

-- +goose Down
ALTER TABLE BotWorkers DROP COLUMN Gate;
