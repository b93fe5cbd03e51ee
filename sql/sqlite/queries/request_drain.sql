-- request_drain: make a worker take no more items, also after a restart.
-- In:  name, now (NULL: the database clock)
UPDATE BotWorkers SET
    DrainRequestedAt = COALESCE(DrainRequestedAt, {{now}}),
    State = CASE WHEN State = 'active' THEN 'draining' ELSE State END
WHERE Name = @name AND (DrainRequestedAt IS NULL OR State = 'active');
