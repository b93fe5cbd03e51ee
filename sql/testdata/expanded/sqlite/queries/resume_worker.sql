UPDATE BotWorkers SET
    DrainRequestedAt = NULL,
    State = CASE WHEN State = 'draining' THEN 'active' ELSE State END
WHERE Name = @name AND (DrainRequestedAt IS NOT NULL OR State = 'draining');
