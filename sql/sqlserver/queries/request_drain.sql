-- request_drain: make a worker take no more items, also after a restart.
-- In:  name, now (NULL: the database clock)
UPDATE BotWorkers SET
    DrainRequestedAt = COALESCE(DrainRequestedAt, {{now}}),
    State = CASE WHEN State = N'active' THEN N'draining' ELSE State END
WHERE Name = CAST(@name AS NVARCHAR(450)) AND (DrainRequestedAt IS NULL OR State = N'active');
