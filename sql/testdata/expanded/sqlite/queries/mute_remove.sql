DELETE FROM BotNotificationMutes
WHERE KeyHash = @key_hash;
