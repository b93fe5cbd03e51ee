DELETE FROM BotSessions
WHERE UserId = @user_id AND IdleUntil > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'));
