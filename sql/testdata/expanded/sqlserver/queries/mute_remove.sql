DELETE FROM BotNotificationMutes
WHERE KeyHash = CAST(@key_hash AS NVARCHAR(450));
