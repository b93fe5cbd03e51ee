-- mute_remove: end a mute. In the transaction of a new one it is replaced.
-- In:  key_hash
DELETE FROM BotNotificationMutes
WHERE KeyHash = @key_hash;
