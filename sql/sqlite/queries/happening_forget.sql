-- happening_forget: forget what was read from a source before its position.
-- In:  source, before
DELETE FROM BotNotificationSeen
WHERE Source = @source AND At < @before;
