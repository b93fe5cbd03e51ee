-- happening_forget: forget what was read from a source before its position.
-- In:  source, before
DELETE FROM BotNotificationSeen
WHERE Source = CAST(@source AS NVARCHAR(450)) AND At < CAST(@before AS DATETIME2(3));
