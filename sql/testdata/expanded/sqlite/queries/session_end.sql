DELETE FROM BotSessions
WHERE Id = @id AND IdleUntil > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'));
