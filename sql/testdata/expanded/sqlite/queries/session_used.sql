UPDATE BotSessions SET
    SeenAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    IdleUntil = CASE WHEN strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @idle_ms / 1000.0)) < ExpiresAt THEN strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @idle_ms / 1000.0)) ELSE ExpiresAt END
WHERE Id = @id AND IdleUntil > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'));
