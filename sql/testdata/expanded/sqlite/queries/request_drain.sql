UPDATE BotWorkers SET
    DrainRequestedAt = COALESCE(DrainRequestedAt, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    State = CASE WHEN State = 'active' THEN 'draining' ELSE State END
WHERE Name = @name AND (DrainRequestedAt IS NULL OR State = 'active');
