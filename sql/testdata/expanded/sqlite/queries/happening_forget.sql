DELETE FROM BotNotificationSeen
WHERE Source = @source AND At < @before;
