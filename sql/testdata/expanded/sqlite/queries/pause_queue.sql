UPDATE BotQueues SET
    Paused = @paused,
    Revision = Revision + 1,
    UpdatedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Name = @name AND Paused <> @paused;
