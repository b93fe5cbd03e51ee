-- set_worker: replace what a person set for a worker, unless another process has changed it since it
-- was read.
-- In:  id, overrides (NULL: none), old (the present ones, empty for none)
UPDATE BotWorkers SET
    Overrides = @overrides
WHERE Id = @id AND COALESCE(Overrides, '') = @old;
