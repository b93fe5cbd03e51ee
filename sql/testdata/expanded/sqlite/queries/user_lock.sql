UPDATE BotUsers SET LockedUntil = strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lock_ms / 1000.0))
WHERE Id = @id;
